# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How a session begins: all probes at once, after BEGIN.
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf 'system calls' || { ok 0 'nothing to see'; done_testing; }

# One thread, which calls again and again. Its returns are attached first, its entries after many others: from one moment on
# both are seen, until one moment. So at most one call has lost its entry, and at most one its return.
"$here/tests/kernel/threads" calls &
calls=$!
children="$children $calls"
cat >"$work/pairs.d" <<'END'
BEGIN { began = 1; }
syscall::getpgid:return /pid == $1/ { @r = count(); }
syscall::getpgid:return /pid == $1 && !began/ { @early = count(); }
sdt:::sched_*, sdt:::signal_*, sdt:::timer_*, sdt:::hrtimer_*, sdt:::irq_* /pid == $1 && !began/ { @early = count(); }
syscall::getpgid:entry /pid == $1/ { @e = count(); }
syscall::getpgid:entry /pid == $1 && ++n > 1000/ { exit(0); }
END { printa("%@d ", @r); printa("%@d ", @e); printa("%@d", @early); }
END
wrong=
for i in 1 2 3 4 5; do
	run "$DTR" -q -x ledger=off -s "$work/pairs.d" $calls
	set -- $out
	[ "$status" = 0 ] && [ "${1:-0}" -ge 1000 ] && [ $(($1 - $2)) -ge -1 ] && [ $(($1 - $2)) -le 1 ] && [ "${3:-0}" = 0 ] ||
		wrong="$wrong [$status: $out $err]"
done
is "$wrong" '' 'all probes begin in the same moment, after BEGIN'
stop $calls

done_testing
