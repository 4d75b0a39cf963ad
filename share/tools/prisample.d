/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "at which priority and on which CPUs a process runs"
#pragma dtr usage "[-r RATE] {PID | -c COMMAND}"
#pragma dtr about "Samples each CPU at a fixed rate and counts the samples in which the process runs there: by"
#pragma dtr more "priority, as ps -o pri shows it (larger is better: 19 is nice 0, 40 and more are real-time), and by"
#pragma dtr more "CPU. Ends when the process ends."
#pragma dtr option -r rate $1 "samples per second on each CPU (default: 1001)"
#pragma dtr operand pid target "the process"
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
