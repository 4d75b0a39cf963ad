# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Exact rates: where the clock counts instructions (tests/vm/run -i), a busy CPU misses no firing. So every count is the
# time divided by the interval, with a tolerance of one firing at each end.
. "$SRC/tests/lib/tap.sh"
[ "${DTR_VM-}" = 1 ] && [ "$(nproc)" = 1 ] || { echo '1..0 # SKIP wants a virtual machine with one exact CPU'; exit 0; }
need_kernel
spin_on 0

rate() { # PROBE FIRINGS-IN-3-S
	run "$DTR" -x ledger -qn "$1 { @ = count(); } tick-3s { exit(0); } END { printa(\"%@d\\n\", @); }"
	between "$out" $(($2 - 1)) $(($2 + 1)) "$1 fires $2 times in 3 s"
	unlike "$err" 'unexplained' "$1: the ledger explains every firing"
}

rate profile-97 291
rate profile-997 2991
rate profile-4999 14997
rate profile-5000 15000
rate profile-1ms 3000
rate profile-200us 15000
rate tick-100hz 300
rate tick-7ms 428
rate tick-1ms 3000

run "$DTR" -qn 'profile-997 { @a = count(); } profile-97 { @b = count(); } profile-5000 { @c = count(); }
	tick-3s { exit(0); } END { printa("%@d\n", @a); printa("%@d\n", @b); printa("%@d\n", @c); }'
set -- $out
between "${1-}" 2990 2992 'three at once: profile-997'
between "${2-}" 290 292 'three at once: profile-97'
between "${3-}" 14999 15001 'three at once: profile-5000'
done_testing
