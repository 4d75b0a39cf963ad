# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tcp, udp and ip compared with the kernel's counters of the sockets (TCP_INFO, which ss -i prints) and of the name
# spaces.
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf tcp || { echo '1..0 # SKIP needs BPF'; exit 0; }
. "$SRC/tests/lib/netns.sh"
# The answer to a SYN in IPv6 does not reach the program on Linux 6.1; accept-refused is in IPv4 only before 6.10.
case $(uname -r) in [1-5].* | 6.[0-9].*) old=6 ;; *) old= ;; esac
inode() { readlink "/proc/$1/ns/net" | tr -dc 0-9; }

# Everything about the sockets of both name spaces; the number of segments of a packet is gso_segs, or 1.
cat >count.d <<EOF
#pragma D option quiet
int over;
inline uint32_t space[uint64_t k] = ((struct sock *)k)->__sk_common.skc_net.net->ns.inum;
inline string side[uint64_t k] = space[k] == $(inode "$a") ? "client" : "server";
inline int ours[uint64_t k] = !over && (space[k] == $(inode "$a") || space[k] == $(inode "$b"));
inline struct sk_buff *packet[uint64_t p] = (struct sk_buff *)p;
inline int gso[uint64_t p] = ((struct skb_shared_info *)(packet[p]->head + packet[p]->end))->gso_segs;
udp:::send /ours[args[1]->cs_addr] && args[4]->udp_dport == 7009/ { over = 1; }
tcp:::send, tcp:::receive
/ours[args[1]->cs_addr]/
{
	@n[side[args[1]->cs_addr], probename, "packets"] = sum(1);
	@n[side[args[1]->cs_addr], probename, "segments"] =
	    sum(gso[args[0]->pkt_addr] ? gso[args[0]->pkt_addr] : 1);
	@n[side[args[1]->cs_addr], probename, "bytes"] = sum(args[2]->ip_plength - args[4]->tcp_offset);
	@n[side[args[1]->cs_addr], probename, "resets"] = sum((args[4]->tcp_flags & TH_RST) != 0);
}
tcp:::send
/ours[args[1]->cs_addr] && args[3]->tcps_retransmit/
{
	@n[side[args[1]->cs_addr], probename, "again"] = sum(1);
}
tcp:::connect-request, tcp:::connect-established, tcp:::connect-refused, tcp:::accept-established
/ours[args[1]->cs_addr]/
{
	@n[side[args[1]->cs_addr], probename, "events"] = sum(1);
	@wrong = sum(probename == "connect-request" ?
	    args[4]->tcp_sport != args[3]->tcps_lport || args[4]->tcp_dport != args[3]->tcps_rport :
	    args[4]->tcp_sport != args[3]->tcps_rport || args[4]->tcp_dport != args[3]->tcps_lport);
	@wrong = sum((args[4]->tcp_sport < 7001 || args[4]->tcp_sport > 7003) &&
	    (args[4]->tcp_dport < 7001 || args[4]->tcp_dport > 7003));
}
tcp:::accept-refused
/((struct sk_buff *)args[0]->pkt_addr)->dev->nd_net.net->ns.inum == $(inode "$b")/
{
	@n["server", probename, "events"] = sum(1);
	@wrong = sum(args[4]->tcp_sport != 7003 || args[3]->tcps_lport != 7003 ||
	    args[3]->tcps_raddr != args[2]->ip_daddr || args[4]->tcp_flags != (TH_RST | TH_ACK));
}
udp:::send, udp:::receive
/ours[args[1]->cs_addr]/
{
	@n[side[args[1]->cs_addr], probename, "datagrams"] = sum(1);
	@n[side[args[1]->cs_addr], probename, "datagram-bytes"] = sum(args[2]->ip_plength - 8);
}
END { printa("%s_%s_%s %@d\n", @n); printa("wrong %@d\n", @wrong); }
EOF
traffic() { # ADDRESS KIND [ARGUMENT...]: both counts, in $work/values
	run "$DTR" -s count.d -c "python3 $SRC/tests/cmd/net.py $*"
	is "$status:$err" 0: "$4: no message"
	printf '%s\n' "$out" >values
}
value() { awk -v n="$1" '$1 == n { v = $2 } END { print v + 0 }' values; }
sum() { # VALUE...
	total=0
	for v; do total=$((total + $(value "$v"))); done
	echo "$total"
}
same() { # NAME DTR'S-VALUE KERNEL'S-VALUE...
	what=$1 mine=$2
	shift 2
	is "$(value "$mine")" "$(sum "$@")" "$what"
}

# ---- bytes and segments ----
transfers() { # NAME ADDRESS
	traffic "$a" "$b" "$2" transfer 3000000 500000
	same "$1: bytes that the client sends" client_send_bytes c_bytes_sent
	same "$1: and the server" server_send_bytes s_bytes_sent
	same "$1: bytes that the server gets are those, too" server_receive_bytes c_bytes_sent
	same "$1: segments of the client" client_send_segments c_segs_out
	same "$1: segments that it gets" client_receive_segments c_segs_in
	lost=0
	[ "$1" != "IPv$old" ] || lost=$(value server_tcp_PassiveOpens)
	is $(($(value server_send_segments) + lost)) "$(sum server_tcp_OutSegs server_tcp_RetransSegs)" \
		"$1: segments of the server's name space"
	same "$1: packets that it gets" server_receive_packets server_tcp_InSegs
	same "$1: connections that were opened" client_connect-request_events client_tcp_ActiveOpens
	same "$1: and established" client_connect-established_events client_tcp_ActiveOpens
	same "$1: and accepted" server_accept-established_events server_tcp_PassiveOpens
	is "$(value wrong)" 0 "$1: ports of events"
}
transfers IPv4 10.77.0.2
transfers IPv6 fd77::2
traffic "$a" "$a" 127.0.0.1 transfer 300000 5000
same 'loopback: segments' client_send_segments client_tcp_OutSegs client_tcp_RetransSegs
same 'loopback: packets, some of which the kernel divides on the way' client_receive_packets client_tcp_InSegs
is "$(value client_send_bytes)" $(($(value c_bytes_sent) + $(value s_bytes_sent))) 'loopback: bytes'

# ---- connections that fail ----
for address in 10.77.0.2 fd77::2; do
	traffic "$a" "$b" "$address" refused
	is "$(value client_connect-request_events) $(value client_connect-refused_events)" '3 3' "$address: refused"
	case $address$old in
	*:*6) skip "$address: the other side" 'the kernel has no tracepoint for it' ;;
	*) is "$(value server_accept-refused_events)" 3 "$address: the other side" ;;
	esac
	same "$address: as the kernel counts" client_connect-refused_events client_tcp_AttemptFails
	is "$(value wrong)" 0 "$address: ports of refusals"
done
inside "$b" ip route add blackhole 10.77.0.1
traffic "$a" "$b" 10.77.0.2 half-open
inside "$b" ip route del blackhole 10.77.0.1
is "$(value client_connect-request_events) $(value client_connect-established_events)" '1 0' 'half open: one request'
same 'half open: the SYN is sent again' client_send_again client_tcp_RetransSegs
is "$(value client_send_packets)" "$(value server_receive_packets)" 'half open: the listener gets each'

# ---- loss ----
traffic "$a" "$b" 10.77.0.2 lossy 10.77.0.1/32
is "$(value client_send_again)" "$(value client_tcp_RetransSegs)" 'segments that are sent again are those of the kernel'
is "$([ "$(value client_send_again)" -gt 0 ]; echo $?)" 0 'and there are some'
same 'bytes with those that are sent again' client_send_bytes c_bytes_sent

# ---- UDP ----
for address in 10.77.0.2 fd77::2; do # without the datagram that marks the end
	traffic "$a" "$b" "$address" datagrams 20 5000
	is "$(value client_send_datagrams) $(value server_receive_datagrams)" '20 20' "$address: datagrams"
	is "$(value client_send_datagram-bytes)" 100000 "$address: fragments are one datagram"
done
case $address in *:*) ;; *) same 'as the kernel counts' server_receive_datagrams server_udp_InDatagrams ;; esac

# ---- IP: the devices of the name spaces ----
run "$DTR" -qn "ip:::send, ip:::receive /args[3]->if_ipstack == $(inode "$a") && args[2]->ip_ver == 4 &&
		args[4]->ipv4_protocol == IPPROTO_ICMP/ {
		@[probename, args[3]->if_name, args[2]->ip_saddr, args[2]->ip_daddr, args[2]->ip_plength,
		    args[4]->ipv4_length, args[4]->ipv4_protostr] = count(); }
	END { printa(\"%s %s %s %s %d %d %s %@d\\n\", @); }" \
	-c "python3 $SRC/tests/cmd/net.py $a $b 10.77.0.2 echoes"
is "$(printf '%s\n' "$out" | sort)" 'receive veth0 10.77.0.2 10.77.0.1 64 84 ICMP 5
send veth0 10.77.0.1 10.77.0.2 64 84 ICMP 5' 'echo requests and replies' "$err"

# ---- members ----
run "$DTR" -qn "tcp:::state-change
	/((struct sock *)args[1]->cs_addr)->__sk_common.skc_net.net->ns.inum == $(inode "$a")/ {
	printf(\"%s %s %s\\n\", args[3]->tcps_rport == 7001 ? \"client\" : \"server\",
	    tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]); }" \
	-c "python3 $SRC/tests/cmd/net.py $a $b 10.77.0.2 transfer 1 1"
is "$(printf '%s\n' "$out" | grep '^client' | head -n 2)" 'client state-closed state-syn-sent
client state-syn-sent state-established' 'state-change'
run "$DTR" -qn "tcp:::connect-request /args[3]->tcps_raddr == \"10.77.0.2\"/ {
	printf(\"%d %s %d %d\\n\", args[1]->cs_pid == pid, execname, args[4]->tcp_flags == TH_SYN,
	    args[3]->tcps_state == TCP_STATE_SYN_SENT); }" \
	-c "python3 $SRC/tests/cmd/net.py $a $b 10.77.0.2 transfer 1 1"
is "$(printf '%s\n' "$out" | grep python3)" '1 python3 1 1' 'connect-request: the process, the flags, the state'

# ---- two tracers, and one that is killed ----
"$DTR" -qn 'tcp:::send { @ = count(); } tick-100ms { printf("up\n"); }' >one 2>&1 &
first=$!
children="$children $first"
until grep -q up one; do sleep 0.05; done
transfers 'beside another tracer' 10.77.0.2
id=$(awk '$1 == "link_type:" { cgroup = $2 == "cgroup" } $1 == "prog_id:" && cgroup { print $2; exit }' \
	/proc/$first/fdinfo/*)
attached() { "$here/tests/kernel/leftovers" | grep -q "^program $id dtr_send\$"; }
attached
ok $? 'its program' "$id"
kill -9 $first
wait $first 2>/dev/null
gone() { ! attached; }
wait_until gone
gone
ok $? 'it is gone after kill -9'
run "$DTR" -qn 'tcp:::send { @ = count(); } tick-100ms { exit(0); }'
is "$status:$err" 0: 'and the next one starts'

# ---- refusals ----
run "$DTR" -qn 'tcp:::send { stack(); exit(0); }'
like "$err" 'probe send: in programs for packets of sockets, the kernel allows no stacks' 'stack()'
run "$DTR" -e -n 'tcp:::sends'
like "$err" "did you mean 'tcp:::send'" 'a name that does not exist'
done_testing
