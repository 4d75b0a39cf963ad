# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mib compared with /proc/net/snmp of a network name space of the test.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
any_of python3 || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
unshare -n ip link set lo up 2>err || { echo "1..0 # SKIP no network name space: $(cat err)"; exit 0; }

# Whether sockets have a tracepoint for their datagrams, and resets without a socket have one (it then has a reason).
datagrams=1 resets=1
"$DTR" -l -n rawtp:::sock_send_length >/dev/null 2>&1 || datagrams=
"$DTR" -lvn rawtp:::tcp_send_reset 2>&1 | grep -q 'args\[2\]' || resets=
without() { skip "$1" 'the kernel has no tracepoint for it'; }

cat >traffic <<EOF
readlink /proc/self/ns/net | tr -dc 0-9 >space
ip link set lo up
ip route add 192.0.2.1 dev lo 2>err
cat /proc/net/snmp /proc/net/snmp6 >before
python3 "$SRC/tests/cmd/mib.py" \$1
sleep 0.3 # delayed acknowledgements
cat /proc/net/snmp /proc/net/snmp6 >after
EOF
run "$DTR" -q -o d -n 'mib::: { @[probename, arg2] = sum(arg0); } END { printa("%s %d %@d\n", @); }' \
	-c 'unshare -n sh traffic retransmit'
is "$status:$err" 0: 'all probes'
traced() { awk -v n="$1" -v s="$(cat space)" '$1 == n && $2 == s { n = $3; found = 1 } END { print found ? n : 0 }' d; }
# A counter of /proc/net/snmp ("Tcp InSegs"), or of snmp6 ("Ip6InReceives").
kernel() { # FILE NAME [COLUMN]
	awk -v p="$2:" -v c="${3-}" -v whole="$2" '
		$1 == p && !head { for (i = 2; i <= NF; i++) if ($i == c) head = i; next }
		$1 == p { print $head; exit } $1 == whole { print $2; exit }' "$1"
}
difference() {
	a=$(kernel after "$@") b=$(kernel before "$@")
	echo $((${a:-0} - ${b:-0}))
}
equal() { # PROBE NAME [COLUMN] [NAME6]: the sum of both protocols
	n=$(($(difference "$2" "$3") + $(difference "${4:-none}")))
	is "$(traced "$1")" "$n" "$1: $n"
}
equal tcpActiveOpens Tcp ActiveOpens
equal tcpPassiveOpens Tcp PassiveOpens
# the kernel does not count the attempt that the program itself ends
n=$(($(difference Tcp AttemptFails) + 1))
is "$(traced tcpAttemptFails)" $n "tcpAttemptFails: $n"
equal tcpEstabResets Tcp EstabResets
equal tcpRetransSegs Tcp RetransSegs
equal tcpInSegs Tcp InSegs
# without retransmitted segments
is $(($(traced tcpOutSegs) - $(traced tcpRetransSegs))) "$(difference Tcp OutSegs)" \
	"tcpOutSegs: $(difference Tcp OutSegs)"
for name in InDatagrams OutDatagrams; do
	if [ $datagrams ]; then equal udp$name Udp $name Udp6$name; else without udp$name; fi
done
equal udpNoPorts Udp NoPorts Udp6NoPorts
equal udpInErrors Udp InErrors Udp6InErrors
equal ipInReceives Ip InReceives
equal ipOutRequests Ip OutRequests
equal ipv6InReceives Ip6InReceives ''
equal ipv6OutRequests Ip6OutRequests ''
for name in InMsgs InEchos InEchoReps InDestUnreachs OutMsgs OutEchos OutEchoReps OutDestUnreachs; do
	equal icmp$name Icmp $name
done
like $(($(traced tcpOutDataBytes) - $(traced tcpRetransBytes))) '^(1500000|3000000)$' \
	'tcpOutDataBytes: what the program sends'
like "$(traced tcpInDataInorderBytes)" '^(1500000|3000000)$' 'tcpInDataInorderBytes: what arrives'
is "$(traced udpHCInDatagrams),$(traced udpHCOutDatagrams)" "$(traced udpInDatagrams),$(traced udpOutDatagrams)" \
	'names of newer versions'
if [ $resets ]; then equal tcpOutRsts Tcp OutRsts; else without tcpOutRsts; fi
if [ $datagrams ]; then
	is "$(traced rawipOutDatagrams),$(traced rawipInDatagrams)" 6,6 'datagrams of a raw socket'
else
	without 'datagrams of a raw socket'
fi

# ---- scripts of the guide ----
run "$DTR" -n 'mib:::tcp* { @[probename] = sum(arg0); }' -c 'unshare -n sh traffic'
like "$out" '^  tcpActiveOpens +[0-9]+$' 'a pattern'
run "$DTR" -n "mib:::tcpActiveOpens { @[execname] = count(); } ${datagrams:+mib:::udpInDatagrams,} mib:::udpNoPorts
	{ @u[probename, execname] = count(); }" -c 'unshare -n sh traffic'
like "$out" '^  python3? +[0-9]+$' 'who opens connections'

# ---- names ----
run "$DTR" -l -n 'mib:::udp*'
like "$out" ' mib +vmlinux +udpNoPorts$' 'a list'
run "$DTR" -lvn mib:::tcpOutSegs
like "$out" 'args\[2\]: uint32_t$' 'the number of the name space'
run "$DTR" -e -n 'mib:::ipForwDatagrams'
like "$status:$err" '^1:.*fbt::ip_forward:entry' 'a probe without a tracepoint: a function'
done_testing
