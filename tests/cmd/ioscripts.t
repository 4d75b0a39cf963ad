# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What published scripts of disk I/O rely on: undeclared variables that begin with 0, strings kept as pointers for
# another clause, arrays with the keys of an I/O. A loop device gets known requests.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
truncate -s 64M image
disk=$(losetup -f --show image 2>&1) || { echo "1..0 # SKIP no loop device: $disk"; exit 0; }
trap 'losetup -d "$disk"; tap_cleanup' EXIT
name=${disk#/dev/}
writes="dd if=/dev/zero of=$disk bs=64k count=20 seek=3 oflag=direct status=none"
reads="dd if=$disk of=/dev/null bs=4k count=30 iflag=direct status=none"
now() { "$DTR" -qn 'BEGIN { printf("%d", timestamp / 1000); exit(0); }'; }

# ---- a line for each I/O ----
cat >snoop <<E
"$DTR" -n '
 inline int OPT_delta = 1;
 inline int OPT_args = '\${args:-0}';
 inline int OPT_device = 1;
 inline int OPT_name = 1;
 inline string DEVICE = "$name";
 inline string NAME = "dd";
 #pragma D option quiet
 #pragma D option switchrate=10hz

 dtrace:::BEGIN
 {
	last_event[""] = 0;
	OPT_delta ? printf("%-14s ", "STIME(us)") : 1;
	printf("%5s %s %s\n", "PID", "COMM", OPT_args ? "ARGS" : "PATHNAME");
 }

 io:genunix::start
 {
	self->ok = 1;
	OPT_device == 1 && DEVICE != args[1]->dev_statname ? self->ok = 0 : 1;
	OPT_name == 1 && NAME != execname ? self->ok = 0 : 1;
 }

 io:genunix::start
 /self->ok/
 {
	this->dev = args[0]->b_edev;
	this->blk = args[0]->b_blkno;
	start_time[this->dev, this->blk] = timestamp;
	start_pid[this->dev, this->blk] = pid;
	start_args[this->dev, this->blk] = (char *)curpsinfo->pr_psargs;
	start_comm[this->dev, this->blk] = execname;
	last_event[args[1]->dev_statname] =
	    last_event[args[1]->dev_statname] ? last_event[args[1]->dev_statname] : timestamp;
	self->ok = 0;
 }

 io:genunix::done
 /start_time[args[0]->b_edev, args[0]->b_blkno]/
 {
	this->dev = args[0]->b_edev;
	this->blk = args[0]->b_blkno;
	this->sargs = (int)start_args[this->dev, this->blk] == 0 ? "" : start_args[this->dev, this->blk];
	this->scomm = start_comm[this->dev, this->blk];
	this->stime = start_time[this->dev, this->blk];
	this->dtime = timestamp - last_event[args[1]->dev_statname];
	start_time[this->dev, this->blk] = 0;
	start_args[this->dev, this->blk] = 0;
	OPT_delta ? printf("%d %d ", this->stime / 1000, this->dtime / 1000) : 1;
	printf("%d %s %d %d ", start_pid[this->dev, this->blk], args[0]->b_flags & B_READ ? "R" : "W",
	    args[0]->b_blkno, args[0]->b_bcount);
	OPT_args == 0 ? printf("%s %s\n", this->scomm, args[2]->fi_pathname) : 1;
	OPT_args == 1 ? printf("%s %S\n", this->scomm, this->sargs) : 1;
	last_event[args[1]->dev_statname] = timestamp;
	this->scomm = 0;
	this->sargs = 0;
 }
 ' "\$@"
E
want() { # COUNT FIRST-BLOCK SECTORS R-OR-W TEXT: the lines without their times and process IDs
	awk -v n="$1" -v at="$2" -v by="$3" -v rw="$4" -v text="$5" \
		'BEGIN { for (i = 0; i < n; i++) print rw, at + i * by, by * 512, text }'
}
lines() { printf '%s\n' "$out" | sed 1d | cut -d' ' -f4-; }
before=$(now)
run sh ./snoop -c "$writes"
after=$(now)
is "$(lines)" "$(want 20 384 128 W 'dd <none>')" 'a line for each request'
is "$(printf '%s\n' "$out" | awk -v a="$before" -v b="$after" 'NR > 1 && ($1 < a || $1 > b || $2 > b - a)')" '' \
	'times are those of the clock'
args=1
export args
run sh ./snoop -c "$writes"
is "$(lines)" "$(want 20 384 128 W "dd $writes")" 'the arguments of the process, in another clause'
run sh ./snoop -c "$reads"
is "$(lines)" "$(want 30 0 8 R "dd $reads")" 'likewise for reads'
is "$err" '' 'no warnings and no faults'

# ---- sums by process, bytes of all ----
cat >top.d <<E
#pragma D option quiet
dtrace:::BEGIN { last_event[""] = 0; disk_r = 0; disk_w = 0; most = 0; }
io:genunix::start
/args[1]->dev_statname == "$name"/
{
	start_time[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	start_comm[args[0]->b_edev, args[0]->b_blkno] = execname;
	last_event[args[1]->dev_statname] = timestamp;
}
io:genunix::done
/start_time[args[0]->b_edev, args[0]->b_blkno]/
{
	this->elapsed = timestamp - start_time[args[0]->b_edev, args[0]->b_blkno];
	most = this->elapsed > most ? this->elapsed : most;
	disk_r += args[0]->b_flags & B_READ ? args[0]->b_bcount : 0;
	disk_w += args[0]->b_flags & B_READ ? 0 : args[0]->b_bcount;
	@total[start_comm[args[0]->b_edev, args[0]->b_blkno], args[1]->dev_statname] = sum(args[0]->b_bcount);
	start_time[args[0]->b_edev, args[0]->b_blkno] = 0;
	start_comm[args[0]->b_edev, args[0]->b_blkno] = 0;
}
dtrace:::END
{
	this->old = timestamp - last_event["$name"];
	printf("%d %d %d %d\n", disk_r, disk_w, sizeof (disk_w), most > 0 && this->old < 300000000000);
	printa("%s %s %@d\n", @total);
}
E
run "$DTR" -s top.d -c "$writes"
is "$out" "0 1310720 8 1
dd $name 1310720" 'sums of bytes; the time since the last event'

# ---- requests that are pending ----
cat >pending.d <<E
#pragma D option quiet
dtrace:::BEGIN { pending["$name"] = 0; last["$name"] = 0; from = 0; }
io:genunix::start, io:genunix::done
/args[1]->dev_statname == "$name"/
{
	this->delta = last[args[1]->dev_statname] ? timestamp - last[args[1]->dev_statname] : 0;
	@depth[pending[args[1]->dev_statname]] = sum(this->delta);
	@events[pending[args[1]->dev_statname]] = count();
	last[args[1]->dev_statname] = timestamp;
}
io:genunix::start
/args[1]->dev_statname == "$name"/
{
	pending[args[1]->dev_statname]++;
	from = from ? from : timestamp;
	to = timestamp;
}
io:genunix::done
/pending[args[1]->dev_statname] > 0/
{
	pending[args[1]->dev_statname]--;
	to = timestamp;
}
dtrace:::END
{
	printf("%d %d\n", pending["$name"], to - from);
	printa("%d %@d %@d\n", @events, @depth);
}
E
run "$DTR" -s pending.d -c "$reads"
is "$(printf '%s\n' "$out" | sort -n | awk 'NF == 2 { left = $1; time = $2 }
	NF == 3 { depths = depths " " $1 ":" $2; sum += $3 } END { print left depths, sum == time }')" \
	'0 0:30 1:30 1' 'one request at a time; the times at each depth add up'

# ---- distances, sizes ----
cat >sizes.d <<E
#pragma D option quiet
self int last[dev_t];
io:genunix::start
/self->last[args[0]->b_edev] != 0 && args[1]->dev_statname == "$name"/
{
	this->last = self->last[args[0]->b_edev];
	this->dist = (int)(args[0]->b_blkno - this->last) > 0 ? (int)(args[0]->b_blkno - this->last) :
	    (int)(this->last - args[0]->b_blkno);
	@seek[this->dist] = count();
}
io:genunix::start
/args[1]->dev_statname == "$name"/
{
	self->last[args[0]->b_edev] = args[0]->b_blkno + args[0]->b_bcount / 512;
	this->size = args[0]->b_bcount;
	@size[this->size, stringof(curpsinfo->pr_psargs)] = count();
	self->name = 0;
	self->name = (char *)args[2]->fi_name;
	@direct[args[2]->fi_name] = count();
}
io:genunix::start
/args[1]->dev_statname == "$name" && self->name/
{
	@kept[stringof(self->name)] = count();
	self->name = 0;
}
io:genunix::start
/self->name/
{
	@left["left"] = count();
}
dtrace:::END
{
	printa("%d %@d\n", @seek);
	printa("%d %s %@d\n", @size);
	printa("%s %@d %@d\n", @direct, @kept);
	printa(@left);
}
E
run "$DTR" -s sizes.d -c "$writes"
is "$out" "0 19
65536 $writes 20
<none> 20 20" 'distances and sizes; a name in another clause'
is "$err" '' 'no warnings and no faults'
done_testing
