# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh disable=SC2154,SC2086 # part of bench/run, which sets dir, build, tmp; $bpftrace: several words
# Segments of TCP beside programs in C at the same place, tools for connections beside bpftrace, and locks that nobody
# else wants. All take turns.

# As in bench/counters.sh.
jobs_of_net() {
	cat <<'END'
sent_count|tcp:::send @ = count()|tcp:::send { @ = count(); }||1.1|
received_count|tcp:::receive @ = count()|tcp:::receive { @ = count(); }||1.1|
sent_bytes|tcp:::send @[port] = sum(bytes)|\
tcp:::send { @[args[4]->tcp_dport] = sum(args[2]->ip_plength - args[4]->tcp_offset); }|||
END
}

net_firings() {
	ms=${MS:-500}
	s=$(awk "BEGIN { print $ms / 1000 }")
	load="'$build/bench/talk' $s '$tmp/segments' & exec"
	peer_object
	jobs_of_net | sed ':a; /\\$/ { N; s/\\\n//; ba; }' >"$tmp/jobs"
	set -- -i -t "${ROUNDS:-7}" "empty program" sh -c "$load '$build/bench/peer' '$tmp/peer.o' sent_empty cgroup $s"
	while IFS='|' read -r job title d _; do
		set -- "$@" -- "dtr: $title" sh -c "$load '$build/dtr' -qn '$d tick-${ms}ms { exit(0); }' >'$tmp/out'"
		set -- "$@" -- "C: $title" sh -c "$load '$build/bench/peer' '$tmp/peer.o' $job cgroup $s"
	done <"$tmp/jobs"
	"$build/bench/cost" "$@" >"$tmp/costs"
	side_by_side "$tmp/costs" "$tmp/jobs"
}

# Is the number known? The FINs, and the ACK and the SYN+ACK of the opening that TCP_INFO does not have, come on top.
net_number() {
	"$build/dtr" -qn 'tcp:::send /args[2]->ip_daddr == "127.0.0.1"/ { @ = count(); } END { printa("%@d", @); }' \
		-c "$build/bench/talk 1 $tmp/segments" >"$tmp/out"
	echo "segments of a second: $(cat "$tmp/segments") by the sockets, $(cat "$tmp/out") firings"
}

# A line for each connection that ends, and for each attempt, at the tracepoint that dtr's tools use.
net_scripts() {
	cat >"$tmp/tcplife.bt" <<'END'
tracepoint:sock:inet_sock_set_state /args->protocol == 6/ {
	if (args->newstate < 4) { @from[args->skaddr] = nsecs; }
	if (args->newstate == 7 && @from[args->skaddr]) {
		printf("%d %s %s %d %s %d %d\n", pid, comm, ntop(args->saddr), args->sport, ntop(args->daddr),
			args->dport, (nsecs - @from[args->skaddr]) / 1000);
		delete(@from[args->skaddr]);
	}
}
END
	cat >"$tmp/tcpconnect.bt" <<'END'
tracepoint:sock:inet_sock_set_state /args->protocol == 6 && args->oldstate == 2 && args->newstate == 1/ {
	printf("%d %s %s %s %d\n", pid, comm, ntop(args->saddr), ntop(args->daddr), args->dport);
}
END
}

bench_net() {
	net_firings
	echo
	net_number
	echo
	net_scripts
	printf '%-12s %-9s %10s %12s %12s %10s\n' tool tracer events 'ns of each' 'more ns' lines
	for name in tcplife tcpconnect; do
		tool $name 10000 "$build/bench/talk -n 10000 $tmp/segments" "$tmp/$name.bt"
	done
}

# The CPU time of a lock and an unlock; lockstat traces the kernel's locks, which are not involved.
bench_locks() {
	cp "$build/bench/locked" "$tmp"
	work="$tmp/locked ${CALLS:-210000} $tmp/called.out"
	libc=$(ldd "$tmp/locked" | awk '/libc\.so/ { print $3 }')
	rm -f "$tmp/firings"
	for _ in $(seq "${ROUNDS:-7}"); do
		firing 1none $work
		firing '2dtr lockstat' "$build/dtr" lockstat -c "$work"
		firing '3dtr plockstat -C' "$build/dtr" plockstat -C -c "$work"
		firing '4dtr plockstat' "$build/dtr" plockstat -c "$work"
		[ -z "$bpftrace" ] || firing '5bpftrace, uprobes at lock and unlock' $bpftrace -c "$work" -e "
			uprobe:$libc:pthread_mutex_lock { @at[tid] = nsecs; }
			uprobe:$libc:pthread_mutex_unlock /@at[tid]/ { @held = sum(nsecs - @at[tid]); }"
	done
	sort -t'|' -k1,1 -k2,2n "$tmp/firings" | awk -F'|' '
		function row() { if (n) printf "%-42s %10.1f %10.1f\n", substr(last, 2), v[int((n + 1) / 2)],
			v[int((n + 1) / 2)] - base }
		BEGIN { printf "%-42s %10s %10s\n", "lock and unlock", "ns", "more ns" }
		$1 != last { row(); n = 0; last = $1 }
		{ v[++n] = $2; if (last == "1none") base = v[int((n + 1) / 2)] }
		END { row() }'
}
