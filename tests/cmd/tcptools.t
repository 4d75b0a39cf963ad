#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tcpconnect, tcpaccept, tcplife and tcpretrans, and scripts in the style of the DTrace book's chapter on networks,
# compared with what the sockets and the name spaces count.
# alone: tcp.t has traffic between the same addresses and ports
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf tcp || { echo '1..0 # SKIP needs BPF'; exit 0; }
. "$SRC/tests/lib/netns.sh"

traffic() { # ADDRESS KIND...: the command of -c
	echo "python3 $SRC/tests/cmd/net.py $a $b $*"
}
value() { printf '%s\n' "$out" | awk -v n="$1" '$1 == n { v = $2 } END { print v + 0 }'; }
# rows REGEX COLUMN...: these columns of the rows that match
rows() {
	expression=$1
	shift
	printf '%s\n' "$out" | awk -v e="$expression" -v c="$*" '$0 ~ e { n = split(c, k, " ")
		for (i = 1; i <= n; i++) printf "%s%s", $k[i], i < n ? " " : "\n" }'
}

for address in 10.77.0 fd77:; do
	dot=.; [ $address = fd77: ] && dot=:
	one=$address${dot}1 two=$address${dot}2

	# ---- tcpconnect ----
	run "$DTR" tcpconnect -c "$(traffic $two transfer 1000 10)"
	is "$(rows ' python3 ' 3 4 5 7 8)" "python3 0 $one $two 7001" "$one: tcpconnect"
	between "$(rows ' python3 ' 9)" 0 10000000 "$one: tcpconnect: microseconds"
	run "$DTR" tcpconnect --failed --port 7003 -c "$(traffic $two refused)"
	is "$(rows ' python3 ' 4 7 8 | sort | uniq -c | tr -s ' ')" " $(value client_tcp_AttemptFails) 111 $two 7003" \
		"$one: tcpconnect --failed"

	# ---- tcpaccept ----
	run "$DTR" tcpaccept --port 7001 -c "$(traffic $two transfer 1000 10)"
	is "$(rows ' python3 ' 3 4 5 6)" "python3 $two 7001 $one" "$one: tcpaccept"
	between "$(rows ' python3 ' 8)" 0 10000000 "$one: tcpaccept: microseconds"

	# ---- tcplife: the client closes first, so the server gets the end, which is not a byte ----
	run "$DTR" tcplife --port 7001 -c "$(traffic $two transfer 300000 5000)"
	is "$(rows " $two +7001 +[0-9]+ +[0-9]" 3 4 6 7 8 9)" \
		"python3 $one $two 7001 $(value c_bytes_sent) $(value s_bytes_sent)" "$one: tcplife: the client"
	is "$(rows "python3 +$two +7001 " 4 5 6 8 9)" "$two 7001 $one $(value s_bytes_sent) $(value c_bytes_sent)" \
		"$one: tcplife: the server"
	between "$(rows "python3 +$two +7001 " 10)" 200 60000 "$one: tcplife: a sleep of 0.2 s"
done

# ---- tcpretrans: its segments are RetransSegs ----
run "$DTR" tcpretrans --port 7001 -c "$(traffic 10.77.0.2 lossy 10.77.0.1/32)"
is "$(printf '%s\n' "$out" | awk '$5 == 7001 && $9 ~ /^[0-9]+$/ { n += $9 } END { print n }')" \
	"$(value client_tcp_RetransSegs)" 'tcpretrans: segments'
is "$(printf '%s\n' "$out" | awk '$5 == 7001 { n += $8 } END { print n }')" "$(value c_bytes_retrans)" \
	'tcpretrans: bytes'
like "$out" '10\.77\.0\.1 +[0-9]+ 10\.77\.0\.2 +7001 state-established +P?A +1000 +1 timeout' 'tcpretrans: a line'
inside "$b" ip route add blackhole 10.77.0.1
run "$DTR" tcpretrans --count -c "$(traffic 10.77.0.2 half-open)"
inside "$b" ip route del blackhole 10.77.0.1
is "$(rows '^10.77.0.1 .* 7001 ' 5 6 7)" "$(value client_tcp_RetransSegs) $(value client_tcp_RetransSegs) 0" \
	'tcpretrans --count: the SYN'

# ---- a script that names nothing else of the prelude before ----
run "$DTR" -e -n 'tcp:::state-change { trace(tcp_state_string[args[5]->tcps_state]); }'
is "$status:$err" 0: 'tcp_state_string'
done_testing
