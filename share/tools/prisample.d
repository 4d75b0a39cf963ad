/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * prisample - at which priority and on which CPUs a process runs
 *
 * usage: dtr prisample [-r RATE] {PID | -c COMMAND}
 *
 * Samples each CPU at a fixed rate and counts the samples in which the process runs there: by priority, as ps -o pri
 * shows it (larger is better: 19 is nice 0, 40 and more are real-time), and by CPU. Ends when the process ends.
 *
 *   -r RATE = $1	samples per second on each CPU (default: 1001)
 *   PID = -p PID	the process
 */
#pragma D option quiet
#pragma D option aggsortkey
#pragma D option argdefaults=1001

profile-$1
/pid == $target/
{
	@priority[execname, curlwpsinfo->pr_pri] = count();
	@residency[execname, cpu] = count();
}

END
{
	printf("%-16s %8s %10s\n", "NAME", "PRIORITY", "SAMPLES");
	printa("%-16s %8d %@10d\n", @priority);
	printf("\n%-16s %8s %10s\n", "NAME", "CPU", "SAMPLES");
	printa("%-16s %8d %@10d\n", @residency);
}
