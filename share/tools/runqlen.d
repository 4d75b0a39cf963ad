/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how many threads wait for a CPU: length of the run queues"
#pragma dtr usage "[-C | -O] [INTERVAL [COUNT]]"
#pragma dtr about "Samples each CPU 99 times a second and prints a histogram of the number of threads that wait for"
#pragma dtr more "it, without the one that runs."
#pragma dtr option -C $1=1 "a histogram for each CPU"
#pragma dtr option -O $2=1 "for each CPU, the share of samples in which threads were waiting"
#pragma dtr operand [period:INTERVAL] $3 "print and reset after this time: 2 (seconds), 500ms (default: only at the"
#pragma dtr more "end)"
#pragma dtr operand [count] $4 "end after so many intervals"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,1d,0

profile-99
{
	this->length = curthread->t_cpu->cpu_disp->disp_nrunnable;
	this->length = this->length < 0 ? 0 : this->length;
}

profile-99 /$2/ { @occupied[cpu] = avg(this->length > 0 ? 10000 : 0); }
profile-99 /!$2 && $1/ { @each[cpu] = lquantize(this->length, 0, 100, 1); }
profile-99 /!$2 && !$1/ { @all = lquantize(this->length, 0, 100, 1); }

tick-$3, END
/!$4 || printed < $4/
{
	printf("%Y run queue length\n", walltimestamp);
	normalize(@occupied, 100);
	printa("runqocc, CPU %-3d %@6.2f%%\n", @occupied);
	printa("cpu = %d%@d\n", @each);
	printa(@all);
	trunc(@occupied);
	trunc(@each);
	trunc(@all);
	printed++;
}

tick-$3 /printed == $4/ { exit(0); }
