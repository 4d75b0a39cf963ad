# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Exact rates: where the clock counts instructions (tests/vm/run -i), a busy CPU misses no firing. So every count is the
# time divided by the interval, with a tolerance of one firing at each end.
. "$SRC/tests/lib/tap.sh"
[ "${DTR_VM-}" = 1 ] && [ "$(nproc)" = 1 ] || { echo '1..0 # SKIP wants a virtual machine with one exact CPU'; exit 0; }
need_kernel
spin_on 0

rates() { # PROBE FIRINGS-IN-3-S...: in one session
	script=
	for word; do
		case $word in *-*) script="$script $word { @n[\"$word\"] = count(); }" ;; esac
	done
	run "$DTR" -x ledger -qn "$script tick-3s { exit(0); } END { printa(\"%s %@d\\n\", @n); }"
	unlike "$err" 'unexplained' "$*: the ledger explains every firing"
	while [ $# != 0 ]; do
		between "$(printf '%s\n' "$out" | awk -v probe="$1" '$1 == probe { print $2 }')" \
			$(($2 - 1)) $(($2 + 1)) "$1 fires $2 times in 3 s"
		shift 2
	done
}

rates profile-97 291 tick-100hz 300 tick-7ms 428
rates profile-997 2991 tick-1ms 3000
rates profile-1ms 3000
rates profile-4999 14997
rates profile-5000 15000
rates profile-200us 15000

run "$DTR" -qn 'profile-997 { @a = count(); } profile-97 { @b = count(); } profile-5000 { @c = count(); }
	tick-3s { exit(0); } END { printa("%@d\n", @a); printa("%@d\n", @b); printa("%@d\n", @c); }'
set -- $out
between "${1-}" 2990 2992 'three at once: profile-997'
between "${2-}" 290 292 'three at once: profile-97'
between "${3-}" 14999 15001 'three at once: profile-5000'
done_testing
