/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * prisample - at which priority, and on which CPUs, a process runs
 *
 * usage: dtr prisample [-r RATE] {PID | -c COMMAND}
 *
 * Looks at each CPU at a fixed rate and counts the samples that find the process there: by priority, as ps -o pri shows it
 * (larger is better: 19 is nice 0, 40 and more are real-time), and by CPU. It ends with the process.
 *
 *   -r RATE = $1	samples a second on each CPU (1001)
 *   PID = -p PID	the process
 */
#pragma D option quiet
#pragma D option argdefaults=1001

profile-$1
/pid == $target/
{
	@priority[execname] = lquantize(curlwpsinfo->pr_pri, 0, 140, 1);
	@residency[execname] = lquantize(cpu, 0, 1024, 1);
}

END
{
	printf("samples by priority\n");
	printa(@priority);
	printf("samples by CPU\n");
	printa(@residency);
}
