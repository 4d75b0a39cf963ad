/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "a flame graph of CPU time or of waits, in one command"
#pragma dtr usage "[-p PID | -c COMMAND | -a] [-C] [-F RATE] [-t PERIOD] [--off-cpu | --wall] [-o FILE] [-O FORMAT]"
#pragma dtr about "Samples the stacks of the process and its descendants, or of all processes, and writes a picture:"
#pragma dtr more "the frames of the process, with those of the kernel on top. Ends with the process, after the period,"
#pragma dtr more "or at Ctrl-C."
#pragma dtr about "The ending of the file sets the format: .html, .folded, .txt (folded), .pb.gz (pprof), .json"
#pragma dtr more "(speedscope)."
#pragma dtr option -a all $2=199 "all processes (the default without -p and -c)"
#pragma dtr option -F rate $2 "samples per second on each CPU (default: 997; 199 for all processes)"
#pragma dtr option -t period $1 "end after this time: 10 (seconds), 500ms, 1h"
#pragma dtr option --off-cpu script off-cpu.d "time off the CPU, waiting or preempted, instead of samples"
#pragma dtr option --wall script wall.d "all time, running and not: what the thread did, then its stack"
#pragma dtr option -C variant containers "the first frame is the container"
#pragma dtr option -o file:PICTURE picture "the file, replaced if it exists (default: flame.html)"
#pragma D option quiet
#pragma D option needpc
#pragma D option defaultargs
#pragma D option argdefaults=36500d,997
#pragma D option stackframes=127
#pragma D option jstackframes=127

profile-$2
/pid && (!$target || progenyof($target))/
{
	@[execname, jstack(), stack()] = count();
}

tick-$1
{
	exit(0);
}
