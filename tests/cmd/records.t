# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Records that come faster than a buffer holds in one switchrate: the consumer follows the rate.
. "$SRC/tests/lib/tap.sh"
need_kernel

# 4 KB hold 128 of these records and switchrate is a second, in which 5,000 come. How many are printed depends on how soon the
# consumer gets a CPU each time, hence only half of them, and the best of five.
spin_on 0
best=0
for _ in 1 2 3 4 5; do
	run "$DTR" -x bufsize=4k -x switchrate=1s -qn 'tick-5000 { printf("R %d\n", cpu); @ = count(); } tick-2s { exit(0); }
		END { printa("of %@d\n", @); }'
	printed=$(grep -c '^R' "$work/out")
	made=$(sed -n 's/^of //p' "$work/out")
	[ "$printed" -le $best ] || { best=$printed; all=$made; }
	[ $((best * 2)) -lt "${all:-0}" ] || break
done
between "$best" $((${all:-10000} / 2)) "${all:-0}" 'steady records, forty times what the buffer holds in a switchrate'
stop "$spin"
done_testing
