#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tcpstates, tcprtt, tcptop and tcpdrop, compared with what the sockets and the name spaces count.
# alone: tcp.t has traffic between the same addresses and ports
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf tcp || { echo '1..0 # SKIP needs BPF'; exit 0; }
. "$SRC/tests/lib/netns.sh"

traffic() { # ADDRESS KIND...: the command of -c
	echo "python3 $SRC/tests/cmd/net.py $a $b $*"
}
value() { printf '%s\n' "$out" | awk -v n="$1" '$1 == n { v = $2 } END { print v + 0 }'; }

# ---- tcpstates: client and server, from their first state to their last; the states of RFC 793 ----
states() { # PORT COLUMN: the new states of the sockets with this port
	printf '%s\n' "$out" | awk -v p="$1" -v c="$2" '$c == p && / -> / { print $9 ">" $11 }' | tr '\n' ' '
}
# Of all processes: a packet may be handled in any. ADDRESS OPTION...
all_states() {
	address=$1
	shift
	"$DTR" tcpstates "$@" >states 2>messages &
	tracer=$!
	children="$children $tracer"
	wait_for LADDR states
	$(traffic "$address" transfer 1000 10) >report
	kill -INT $tracer
	wait $tracer
	out=$(cat states) err=$(cat messages)
}
all_states 10.77.0.2 -D 7001
is "$(states 7001 8)" 'CLOSE>SYN_SENT SYN_SENT>ESTABLISHED ESTABLISHED>FIN_WAIT1 FIN_WAIT1>FIN_WAIT2 FIN_WAIT2>CLOSE ' \
	'tcpstates -D: the client'
between "$(printf '%s\n' "$out" | awk '$9 == "ESTABLISHED" { print $12 }')" 200 60000 \
	'tcpstates: a sleep of 0.2 s in ESTABLISHED'
all_states fd77::2 -L 7001 -6
like "$(states 7001 6)" '^CLOSE>LISTEN .*SYN_RECV>ESTABLISHED .*CLOSE_WAIT>LAST_ACK LAST_ACK>CLOSE ' \
	'tcpstates -L -6: the server'
run "$DTR" tcpstates -6 -c "$(traffic fd77::2 transfer 1000 10)"
like "$(states 7001 8)" '^CLOSE>SYN_SENT ' 'tcpstates -c: what happens in the command'
run "$DTR" tcpstates -4 -c "$(traffic fd77::2 transfer 1000 10)"
is "$(states 7001 6)$(states 7001 8)" '' 'tcpstates -4: not IPv6'

# ---- tcptop: the sockets' own bytes ----
for two in 10.77.0.2 fd77::2; do
	run "$DTR" tcptop 1h -c "$(traffic $two transfer 300000 50000)"
	is "$(printf '%s\n' "$out" | awk -v t=$two '$2 == "python3" && $5 == t && $6 == 7001 { print $7, $8 }')" \
		"$(($(value s_bytes_sent) / 1024)) $(($(value c_bytes_sent) / 1024))" "tcptop: the client, $two"
	is "$(printf '%s\n' "$out" | awk -v t=$two '$2 == "python3" && $3 == t && $4 == 7001 { print $7, $8 }')" \
		"$(($(value c_bytes_sent) / 1024)) $(($(value s_bytes_sent) / 1024))" "tcptop: the server, $two"
done

# ---- tcprtt: one measurement for each packet that established connections receive. Several segments can be one packet:
# data that the other side sent at once, and those that came while the program used the socket. Besides, there is the
# first answer (SYN, ACK). ----
sum() { printf '%s\n' "$out" | awk '/\|/ { n += $NF } END { print n + 0 }'; }
run "$DTR" tcprtt --rport 7001 -B -c "$(traffic 10.77.0.2 transfer 300000 5000)"
between "$(sum)" "$(($(value c_segs_in) - $(value c_data_segs_in) - $(value coalesced)))" \
	"$(value client_tcp_InSegs)" 'tcprtt --rport: packets'
like "$out" '^ +10\.77\.0\.2 *$' 'tcprtt -B: the address'
run "$DTR" tcprtt -6 --rport 7001 -c "$(traffic 10.77.0.2 transfer 1000 10)"
is "$(sum)" 0 'tcprtt -6: not IPv4'

# ---- tcpdrop: a SYN to a port on which nobody listens is answered, and dropped ----
for two in 10.77.0.2 fd77::2; do
	run "$DTR" tcpdrop -c "$(traffic $two refused)"
	is "$(printf '%s\n' "$out" | grep -c " $two:7003 *- (S) ")" "$(value client_tcp_AttemptFails)" \
		"tcpdrop: refused connections, $two"
done
like "$out" ' 6  fd77::1:[0-9]+ +> fd77::2:7003 ' 'tcpdrop: a line'
like "$out" '^ +vmlinux`tcp_v6_rcv' 'tcpdrop: the stack'
run "$DTR" tcpdrop -4 -c "$(traffic fd77::2 refused)"
unlike "$out" 7003 'tcpdrop -4: not IPv6'
done_testing
