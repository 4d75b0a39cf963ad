/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "round-trip times of TCP connections"
#pragma dtr usage "[-m] [-b | -B] [--lport PORT] [--rport PORT] [-4 | -6] [-i PERIOD] [-d DURATION]"
#pragma dtr about "Prints a histogram of the round-trip times, in microseconds, as TCP has smoothed them, at each"
#pragma dtr more "segment that an established connection receives."
#pragma dtr option -m $1=1 "in milliseconds"
#pragma dtr option -b $2=1 "a histogram for each local address"
#pragma dtr option -B $2=2 "a histogram for each remote address"
#pragma dtr option --lport port $3 "only with this local port"
#pragma dtr option --rport port $4 "only with this remote port"
#pragma dtr option -4 $5=2 "only IPv4"
#pragma dtr option -6 $5=10 "only IPv6"
#pragma dtr option -i period $6 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option -d period:DURATION $7 "end after this time"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,0,0,0,1d,1d
#pragma D option strsize=64

inline struct sock_common *ends = &((struct sock *)arg0)->__sk_common;
inline string address[int family, ipaddr_t *four, in6_addr_t *six] = family == 10 ? inet_ntoa6(six) : inet_ntoa(four);

sdt:::tcp_probe	/* skc_num is in the machine's byte order */
/(!$5 || ends->skc_family == $5) && (!$3 || ends->skc_num == $3) && (!$4 || ntohs(ends->skc_dport) == $4)/
{
	this->rtt = (((struct tcp_sock *)args[0])->srtt_us >> 3) / ($1 ? 1000 : 1);
	@[$2 == 0 ? "All Addresses" : $2 == 1 ?
	    address[ends->skc_family, (ipaddr_t *)&ends->skc_rcv_saddr, (in6_addr_t *)&ends->skc_v6_rcv_saddr] :
	    address[ends->skc_family, (ipaddr_t *)&ends->skc_daddr, (in6_addr_t *)&ends->skc_v6_daddr]] =
	    quantize(this->rtt);
}

tick-$7
{
	exit(0);
}

tick-$6, END
{
	printf("%s, round-trip time in %s\n", $2 == 1 ? "Local Address" : $2 == 2 ? "Remote Address" : "TCP",
	    $1 ? "msecs" : "usecs");
	printa(@);
	trunc(@);
}
