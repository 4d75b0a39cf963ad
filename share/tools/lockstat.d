/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "for which locks of the kernel threads wait, and how long"
#pragma dtr usage "[-A] [-i PERIOD] [-s DEPTH] [-P] [-e EVENT] [-d NS] [-D ROWS] [-p PID | -c COMMAND | COMMAND ...]"
#pragma dtr about "Prints a row for each lock and caller: how often a thread waited, the share of all waits, the mean"
#pragma dtr more "and the sum of the times in nanoseconds, the event, the lock (its name, if it is a variable of the"
#pragma dtr more "kernel), and the function that wanted it. With -p or -c only that process and its descendants are"
#pragma dtr more "traced."
#pragma dtr option -A $1=1 "all threads, even with -p or -c: -A -c 'sleep 5'"
#pragma dtr option -i period $2 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option -s depth $3 "stacks of this many frames, instead of the caller"
#pragma dtr option -P $4=1 "sort by the sum of the times, not by the number of waits"
#pragma dtr option -e adaptive-block|adaptive-spin|rw-block|rw-spin|spin-spin $5 "only this event"
#pragma dtr option -d ns $6 "only waits of at least this many nanoseconds"
#pragma dtr option -D rows $7 "only the first rows"
#pragma dtr operand [command] target
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,1d
#pragma D option aggsortrev
#pragma D option aggsortonly
#pragma D option dynvarsize=8m
inline int depth = $3 ? $3 : 1; inline int most = $7 ? $7 : 1 << 30;

lockstat:::
{
	this->wanted = ($1 || !$target || progenyof($target)) && ($$5 == "" || probename == $$5) && arg1 >= $6;
	waits += this->wanted;
}

lockstat:::
/this->wanted && !$3/
{
	@count[probename, arg0, caller] = count();
	@share[probename, arg0, caller] = sum(100);
	@mean[probename, arg0, caller] = avg(arg1);
	@sum[probename, arg0, caller] = sum(arg1);
}

lockstat:::
/this->wanted && $3/
{
	@counts[probename, arg0, stack(depth)] = count();
	@shares[probename, arg0, stack(depth)] = sum(100);
	@means[probename, arg0, stack(depth)] = avg(arg1);
	@sums[probename, arg0, stack(depth)] = sum(arg1);
}

tick-$2, END
{
	normalize(@share, waits ? waits : 1);
	normalize(@shares, waits ? waits : 1);
	printf("%s %-14s %-32s %s\n", $4 ? "    TOTAL ns   COUNT  SHARE   MEAN ns" :
	    "  COUNT  SHARE   MEAN ns      TOTAL ns", "EVENT", "LOCK", $3 ? "STACK" : "CALLER");
}

tick-$2, END
/$4/
{
	trunc(@sum, most); trunc(@sums, most);
	printa("%@12d %@7d %@5.1f%% %@9d %-14s %-32a %a\n", @sum, @count, @share, @mean);
	printa("%@12d %@7d %@5.1f%% %@9d %-14s %a%k\n", @sums, @counts, @shares, @means);
}

tick-$2, END
/!$4/
{
	trunc(@count, most); trunc(@counts, most);
	printa("%@7d %@5.1f%% %@9d %@13d %-14s %-32a %a\n", @count, @share, @mean, @sum);
	printa("%@7d %@5.1f%% %@9d %@13d %-14s %a%k\n", @counts, @shares, @means, @sums);
}

tick-$2, END
{
	trunc(@count); trunc(@share); trunc(@mean); trunc(@sum);
	trunc(@counts); trunc(@shares); trunc(@means); trunc(@sums);
	waits = 0;
}
