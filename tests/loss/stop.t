# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The consumer is stopped and its buffers overflow: every record is printed or counted as a drop on its CPU.
. "$SRC/tests/loss/loss.sh"
busy

# counted PROBE N: prints clauses that count the records of the probe, N per firing. $told prints the counts in END.
counted() {
	on_each_cpu "$1 /cpu == CPU/ { @madeCPU = sum($2); }"
}
told=$(on_each_cpu 'END { printa("made CPU %@d\n", @madeCPU); }')

# One probe, small buffers, stopped again and again.
start -x bufsize=4k -x ledger=cpu -n "profile-4999 { printf(\"R %d\\n\", cpu); } $(counted profile-4999 1) $told"
sleep 0.2
overflow 0.2
finish INT
is "$status" 0 'a session whose consumer was stopped exits with 0'
records_add_up 'one probe, 4k'
some "$(dropped drop)" 'there were drops'
for cpu in $cpus; do
	delivered=$(awk -v cpu="$cpu" '$1 == "profile-4999" && $2 == cpu { print $4 }' "$work/err")
	is "$(made "$cpu")" "${delivered:-0}" "the ledger has the same firings on CPU $cpu"
done

# Several probes, records of different sizes, one probe with two records per firing, the default buffer size.
start -x ledger=off -n "
	profile-4999, profile-4001, profile-3001, profile-2003, profile-1009, profile-997, profile-499, profile-97,
	tick-1ms { printf(\"R %d\\n\", cpu); }
	profile-4999 { printf(\"R %d %s\\n\", cpu, execname); }
	profile-4999, profile-4001, profile-3001, profile-2003, profile-1009, profile-997, profile-499, profile-97, \
tick-1ms
	/pid == 0/ { printf(\"R %d %d %d %d\\n\", cpu, arg0, arg1, timestamp); }
	$(counted 'profile-4999, profile-4001, profile-3001, profile-2003, profile-1009, profile-997, profile-499,
		profile-97, tick-1ms' '1 + (pid == 0)')
	$(counted profile-4999 1) $told"
sleep 0.2
overflow 0.7
finish TERM
is "$status" 0 'several probes: dtr exits with 0'
records_add_up 'several probes'
some "$(dropped drop)" 'there were drops'

# exit() while the buffers are full: its record may be lost, but the session ends anyway. A process that is stopped
# until then triggers it. (Clauses after exit() do not run, so the counting clauses come first.)
sh -c 'kill -STOP $$; while :; do :; done' &
mark=$!
children="$children $mark"
wait_until grep -q '^State:.*stopped' "/proc/$mark/status"
start -x bufsize=4k -x ledger=off -n "$(counted profile-4999 "1 + (pid == $mark)")
	profile-4999 { printf(\"R %d\\n\", cpu); }
	profile-4999 /pid == $mark/ { printf(\"R %d\\n\", cpu); exit(3); } $told"
overflow 0.2
kill -STOP "$pid"
sleep 0.2
kill -CONT "$mark"
wait_until has_run "$mark" 5
kill -CONT "$pid"
finish
is "$status" 3 'exit() with full buffers'
records_add_up 'exit() with full buffers'
some "$(dropped drop)" 'there were drops'

# The records of printa() and clear() are lost, too: then nothing is cleared, and nothing is missing at the end.
start -x bufsize=4k -x ledger=off -n "profile-4999 { @ = count(); @n = count(); printf(\"R %d\\n\", cpu); }
	tick-5ms { printa(\"A %@d\\n\", @); clear(@); }
	$(counted profile-4999 1) $told
	END { printa(\"A %@d\\n\", @); printa(\"N %@d\\n\", @n); }"
overflow 0.2
finish INT
# (a lost record of tick is counted among the drops of the CPU on which it ran)
is "$(column A 2)" "$(column N 2)" 'printa() and clear() lose no counts even if their records are lost'
some "$(column N 2)" 'there were firings'
done_testing
