/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "checks of capabilities: which process needs which"
#pragma dtr usage "[-v] [-K] [-U] [--failed] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each time the kernel checks whether a thread has a capability: seconds since"
#pragma dtr more "tracing began, user, process, number and name of the capability, and the result (0: it has; -1: it"
#pragma dtr more "has not). Needs the tracepoint cap_capable, which kernels before 6.14 lack. With -p or -c only"
#pragma dtr more "that process and its descendants are traced."
#pragma dtr option -K $1=1 "also the kernel's stack"
#pragma dtr option -U $2=1 "also the stack of the process"
#pragma dtr option -v $4=1 "also checks of CAP_SYS_ADMIN for the size of memory, at each mmap() and exec"
#pragma dtr option --failed $3=1 "only capabilities that the thread does not have"
#pragma D option quiet
#pragma D option jstackframes=100
#pragma D option defaultargs
#pragma D option argdefaults=0,0,0,0
#pragma D option bufsize=8m

inline string low[int n] = n == 0 ? "CAP_CHOWN" : n == 1 ? "CAP_DAC_OVERRIDE" : n == 2 ? "CAP_DAC_READ_SEARCH" :
    n == 3 ? "CAP_FOWNER" : n == 4 ? "CAP_FSETID" : n == 5 ? "CAP_KILL" : n == 6 ? "CAP_SETGID" :
    n == 7 ? "CAP_SETUID" : n == 8 ? "CAP_SETPCAP" : n == 9 ? "CAP_LINUX_IMMUTABLE" :
    n == 10 ? "CAP_NET_BIND_SERVICE" : n == 11 ? "CAP_NET_BROADCAST" : n == 12 ? "CAP_NET_ADMIN" :
    n == 13 ? "CAP_NET_RAW" : n == 14 ? "CAP_IPC_LOCK" : n == 15 ? "CAP_IPC_OWNER" : n == 16 ? "CAP_SYS_MODULE" :
    n == 17 ? "CAP_SYS_RAWIO" : n == 18 ? "CAP_SYS_CHROOT" : "CAP_SYS_PTRACE";
inline string high[int n] = n == 20 ? "CAP_SYS_PACCT" : n == 21 ? "CAP_SYS_ADMIN" : n == 22 ? "CAP_SYS_BOOT" :
    n == 23 ? "CAP_SYS_NICE" : n == 24 ? "CAP_SYS_RESOURCE" : n == 25 ? "CAP_SYS_TIME" :
    n == 26 ? "CAP_SYS_TTY_CONFIG" : n == 27 ? "CAP_MKNOD" : n == 28 ? "CAP_LEASE" : n == 29 ? "CAP_AUDIT_WRITE" :
    n == 30 ? "CAP_AUDIT_CONTROL" : n == 31 ? "CAP_SETFCAP" : n == 32 ? "CAP_MAC_OVERRIDE" :
    n == 33 ? "CAP_MAC_ADMIN" : n == 34 ? "CAP_SYSLOG" : n == 35 ? "CAP_WAKE_ALARM" :
    n == 36 ? "CAP_BLOCK_SUSPEND" : n == 37 ? "CAP_AUDIT_READ" : n == 38 ? "CAP_PERFMON" : n == 39 ? "CAP_BPF" :
    n == 40 ? "CAP_CHECKPOINT_RESTORE" : "?";

BEGIN
{
	start = timestamp;
	printf("%10s %6s %7s %-16s %-4s %-20s %s\n", "TIME(s)", "UID", "PID", "COMM", "CAP", "NAME", "RET");
}

sdt:::cap_capable
/pid != $pid && (!$target || progenyof($target)) && (!$3 || args[4]) &&
    ($4 || caller - (uintptr_t)&`security_vm_enough_memory_mm > 256)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %6d %7d %-16s %-4d %-20s %d\n", this->t / 1000000, this->t % 1000000, uid, pid, execname,
	    args[3], args[3] < 20 ? low[args[3]] : high[args[3]], args[4]);
	$1 ? stack() : 1;
	$2 ? jstack() : 1;
}
