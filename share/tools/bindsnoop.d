/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "sockets that processes bind to an address"
#pragma dtr usage "[-E] [-P PORT] [-U] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each bind() of an IPv4 or IPv6 socket: seconds since tracing began, process,"
#pragma dtr more "protocol, address, port (0 becomes the one that the kernel has chosen), options of the socket (R:"
#pragma dtr more "SO_REUSEADDR, r: SO_REUSEPORT) and the interface of SO_BINDTODEVICE (0: any). With -p or -c only"
#pragma dtr more "that process and its descendants are traced."
#pragma dtr option -E $1=1 "also calls that fail, and the result (RC: 0 or -ERROR)"
#pragma dtr option -P port $2 "only this port"
#pragma dtr option -U $3=1 "also the user"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,0
#pragma D option bufsize=8m
#pragma D option strsize=64

inline struct file *file[uint64_t n] = curthread->files->fdt->fd[n];
inline int is_socket[uint64_t n] = n < curthread->files->fdt->max_fds && file[n] != 0 &&
    (file[n]->f_inode->i_mode & 0170000) == 0140000;

BEGIN
{
	start = timestamp;
	printf("%10s %s%s%7s %-12s %-7s %-16s %5s %-4s %2s\n", "TIME(s)", $3 ? "   UID " : "", $1 ? "  RC " : "", "PID",
	    "COMM", "PROT", "ADDR", "PORT", "OPTS", "IF");
}

syscall::bind:return
/(!$target || progenyof($target)) && ($1 || !errno) && is_socket[(uint_t)arg2]/
{
	this->sk = ((struct socket *)file[(uint_t)arg2]->private_data)->sk;
	this->ends = &this->sk->__sk_common;
	this->six = this->ends->skc_family == 10;
	/* AF_INET 2: port and address after the family; AF_INET6 10: port, flow, address */
	this->to = (uint8_t *)copyin(arg3, (uint_t)arg4 < 28 ? 16 : 28);
	this->asked = this->to[2] << 8 | this->to[3];
	this->port = this->asked ? this->asked : this->ends->skc_num;
}

syscall::bind:return
/(!$target || progenyof($target)) && ($1 || !errno) && is_socket[(uint_t)arg2] &&
    (this->ends->skc_family == 2 || this->six) && (!$2 || this->port == $2)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d ", this->t / 1000000, this->t % 1000000);
	$3 ? printf("%6d ", uid) : 1;
	$1 ? printf("%4d ", arg1) : 1;
	printf("%7d %-12s %-7s %-16s %5d %s%-3s %2d\n", pid, execname, this->sk->sk_protocol == 6 ? "TCP" :
	    this->sk->sk_protocol == 17 ? "UDP" : lltostr(this->sk->sk_protocol), this->six ?
	    inet_ntoa6((in6_addr_t *)(this->to + 8)) : inet_ntoa((ipaddr_t *)(this->to + 4)), this->port,
	    this->ends->skc_reuse ? "R" : ".", this->ends->skc_reuseport ? "r" : ".", this->ends->skc_bound_dev_if);
}
