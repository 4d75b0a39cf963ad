# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh disable=SC2154 # part of bench/run, which sets dir, build and tmp
# Probes of vminfo under a program that takes page faults, beside programs in C at the same event or tracepoint.

# Program of peer.bpf.c | title | probe and D | goal, as a part of C's. minor: a perf event; others: a tracepoint.
jobs_of_counters() {
	cat <<'END'
job_count|vminfo:::pgrec @ = count()|vminfo:::pgrec { @ = count(); }||1.1|
job_comm|vminfo:::pgrec @[execname] = count()|vminfo:::pgrec { @[execname] = count(); }||1.1|
fault_count|vminfo:::as_fault @ = count()|vminfo:::as_fault { @ = count(); }||1.1|
fault_comm|vminfo:::as_fault @[execname] = count()|vminfo:::as_fault { @[execname] = count(); }||1.1|
END
}

bench_counters() {
	ms=${MS:-500}
	s=$(awk "BEGIN { print $ms / 1000 }")
	load="'$build/bench/faults' $s & exec"
	peer_object
	jobs_of_counters >"$tmp/jobs"
	set -- -i -t "${ROUNDS:-7}" "empty program" sh -c "$load '$build/bench/peer' '$tmp/peer.o' job_empty minor $s"
	while IFS='|' read -r job title d _; do
		set -- "$@" -- "dtr: $title" sh -c "$load '$build/dtr' -qn '$d tick-${ms}ms { exit(0); }' >'$tmp/out'"
		case $job in
		job_*) peer="minor $s" ;;
		*) peer="-c sleep $s" ;;
		esac
		set -- "$@" -- "C: $title" sh -c "$load '$build/bench/peer' '$tmp/peer.o' $job $peer"
	done <"$tmp/jobs"
	"$build/bench/cost" "$@" >"$tmp/costs"
	side_by_side "$tmp/costs" "$tmp/jobs"
}
