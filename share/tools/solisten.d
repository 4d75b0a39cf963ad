/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "sockets on which processes listen"
#pragma dtr usage "[--show-netns] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each listen() of an IPv4 or IPv6 socket that returns: process, result (0 or"
#pragma dtr more "-ERROR), length of the queue, protocol, port and address. With -p or -c only that process and its"
#pragma dtr more "descendants are traced."
#pragma dtr option --show-netns $1=1 "also the inode number of the socket's network name space"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0
#pragma D option bufsize=8m
#pragma D option strsize=64

inline struct file *file[uint64_t n] = curthread->files->fdt->fd[n];
inline int is_socket[uint64_t n] = n < curthread->files->fdt->max_fds && file[n] != 0 &&
    (file[n]->f_inode->i_mode & 0170000) == 0140000;
inline struct sock *sk[uint64_t n] = ((struct socket *)file[n]->private_data)->sk;
inline int family[uint64_t n] = sk[n]->__sk_common.skc_family;

BEGIN
{
	printf("%7s %-16s %s%4s %7s %-7s %5s %s\n", "PID", "COMM", $1 ? "NETNS      " : "", "RET", "BACKLOG", "PROTO",
	    "PORT", "ADDR");
}

syscall::listen:return
/(!$target || progenyof($target)) && is_socket[(uint_t)arg2] && (family[(uint_t)arg2] == 2 ||
    family[(uint_t)arg2] == 10)/
{
	this->sk = sk[(uint_t)arg2];
	this->ends = &this->sk->__sk_common;
	this->six = this->ends->skc_family == 10;
	printf("%7d %-16s ", pid, execname);
	$1 ? printf("%-10d ", this->ends->skc_net.net->ns.inum) : 1;
	printf("%4d %7d %s%-4s %5d %s\n", arg1, (int)arg3, this->sk->sk_protocol == 6 ? "TCP" : "PR ",
	    this->six ? "v6" : "v4", this->ends->skc_num, this->six ?
	    inet_ntoa6((in6_addr_t *)&this->ends->skc_v6_rcv_saddr) :
	    inet_ntoa((ipaddr_t *)&this->ends->skc_rcv_saddr));
}
