/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gmon - write a profile for GNU gprof: gmon.out
 *
 * usage: dtr gmon [-F HZ] [-k] [-O OBJECT]... [--arcs[=KIND]] [-o FILE] {-p PID | -c COMMAND | --from RECORDING}
 *
 * Where the process spends its time, for gprof. The program needs symbols, but no -pg. Samples in the kernel count for
 * the address from which the process entered it.
 *
 *   -F HZ	samples a second on each CPU (default: 997)
 *   -O OBJECT	profile this: libc.so.6, a module with -k, a.out (the program), all; can be repeated
 *   -k	the kernel; without -p and -c for all processes, until Ctrl-C
 *   --arcs	also the call graph: exact, by counting all calls (the default for programs); sampled, from
 *	stacks (the default for the kernel)
 *   -o FILE	the profile (default: gmon.out); those of further objects are FILE.OBJECT
 *   --from RECORDING	from a recording of dtr record
 *   --script	print the D script instead of running it
 */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m

profile-$1
/pid == $target/
{
	@samples[uaddr(uregs[R_PC])] = count();
}
