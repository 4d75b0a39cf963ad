/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "which code calls functions and makes other probes fire"
#pragma dtr usage "[-K | -U] [-P] [-T] [-i INTERVAL] [-D DURATION] [-p PID | -c COMMAND] PROBE"
#pragma dtr about "Counts the stacks at which a function is called, or one of all that a pattern matches: c:malloc (of"
#pragma dtr more "libc) and /bin/bash:readline in every process, vfs_* in the kernel; also tracepoints"
#pragma dtr more "(t:sched:sched_switch), probes of programs (u:LIBRARY:PROVIDER:PROBE), returns (r:c:malloc) and"
#pragma dtr more "descriptions of D (syscall::read:entry). The most frequent stacks come last. Functions of the kernel"
#pragma dtr more "need kprobes, as fbt does. With -p or -c only that process and its descendants"
#pragma dtr more "are traced."
#pragma dtr option -K $2=1 "only the kernel's stacks"
#pragma dtr option -U $3=1 "only the stacks of processes"
#pragma dtr option -P $4=1 "by process"
#pragma dtr option -i period:INTERVAL $5 "print and reset after this time: 2 (seconds), 500ms"
#pragma dtr option -D period:DURATION $6 "end after this time"
#pragma dtr option -T $7=1 "the time of each output"
#pragma dtr operand probe $1 "what is counted"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=,0,0,0,100d,100d,0
#pragma D option followfork
#pragma D option aggtable=64k

$1
/pid != $pid && (!$target || progenyof($target))/
{
	this->kernel = $2 || (!$3 && stackdepth > 0);
	this->user = $3 || !$2;
}

$1 /this->kernel && !this->user && !$4/ { @kernel[stack()] = count(); }
$1 /!this->kernel && this->user && !$4/ { @user[jstack()] = count(); }
$1 /this->kernel && this->user && !$4/ { @both[stack(), jstack()] = count(); }
$1 /this->kernel && !this->user && $4/ { @kernels[execname, pid, stack()] = count(); }
$1 /!this->kernel && this->user && $4/ { @users[execname, pid, jstack()] = count(); }
$1 /this->kernel && this->user && $4/ { @all[execname, pid, stack(), jstack()] = count(); }

tick-$5, END /$7/ { printf("%Y\n", walltimestamp); }
tick-$5, END
{
	printa("%k    %@d\n\n", @kernel);
	printa("%k    %@d\n\n", @user);
	printa("%k%k    %@d\n\n", @both);
	printa("  %s [%d]%k    %@d\n\n", @kernels);
	printa("  %s [%d]%k    %@d\n\n", @users);
	printa("  %s [%d]%k%k    %@d\n\n", @all);
	trunc(@kernel);
	trunc(@user);
	trunc(@both);
	trunc(@kernels);
	trunc(@users);
	trunc(@all);
}

tick-$6
{
	exit(0);
}
