# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# sched compared with the kernel's own accounting of threads that take turns; args[] field by field; PID name spaces.
. "$SRC/tests/lib/tap.sh"
known_calls
need_kernel
need_room
need_types
known=$here/tests/kernel/known
turns=$here/tests/kernel/turns
trace() { rm -f "$work/d"; run "$@"; } # -o appends, so remove the old file
# time that passes on the clock but is not in the kernel's run times of threads: interrupts (if accounted), stolen time
steal() { awk '$1 == "cpu" { printf "%d0000000\n", $7 + $8 + $9 }' /proc/stat; }

# ---- numbers and times agree with the kernel's ----
# said TEXT THREAD ADDRESS: the line of the thread in the output of the tracer or of the program itself
said() { printf '%s\n' "$1" | awk -v t="$2" '$1 == t && $2 == "on"' | sed -n "$3"; }
word() { printf '%s\n' "$1" | awk -v w="$2" '{ for (i = 2; i < NF; i += 2) if ($i == w) print $(i + 1) }'; }
before=$(steal)
trace "$DTR" -o "$work/d" -s "$SRC/tests/kernel/turns.d" -c "$turns a b s"
stolen=$(($(steal) - before))
is "$status:$err" 0: 'threads that take turns'
for t in turns-a turns-b turns-s; do
	d=$(said "$(cat "$work/d")" $t '$p')
	k=$(said "$out" $t 1p)
	for w in off sleep preempt; do
		same "$(word "$d" $w)" "$(word "$k" $w)" "$t: $w $(word "$k" $w)"
	done
	# switches away from a thread of the machine that cannot be traced are not seen
	unseen=$(word "$d" unseen)
	is "$(($(word "$d" on) + unseen))" "$(word "$k" on)" \
		"$t: on $(word "$k" on), $unseen of them after a thread that cannot be traced"
	# the kernel updates its times at ticks and switches, and excludes stolen time
	for w in ran waited; do
		v=$(word "$k" $w)
		between "$(word "$d" $w)" $((v - v / 20 - 20000000)) $((v + v / 20 + 20000000 + stolen)) "$t: $w $v ns"
	done
done

# ---- built-in variables describe the thread that comes onto the CPU; args[] the thread that the event is about ----
trace "$DTR" -q -o "$work/d" -n 'sched:::on-cpu /pid == $target && execname == "turns-b"/ {
		@v["tid", tid] = count(); @v["pid", pid] = count(); @v["ppid", ppid] = count();
		@v["uid", uid] = count();
		@v["cpu", cpu] = count(); @v["lwpid", curlwpsinfo->pr_lwpid] = count();
		@v["nice", curlwpsinfo->pr_nice] = count();
		@v["pri", curlwpsinfo->pr_pri] = count(); @v["onpro", curlwpsinfo->pr_onpro] = count();
		@v["bind", curlwpsinfo->pr_bindpro] = count();
		@v["addr", curlwpsinfo->pr_addr == (uintptr_t)curthread] = count();
		@v["ppid of", curpsinfo->pr_ppid] = count(); @v["pid of", curpsinfo->pr_pid] = count();
		@v["sid", curpsinfo->pr_sid] = count(); @v["pgid", curpsinfo->pr_pgid] = count();
		@v["uid of", curpsinfo->pr_uid] = count(); @v["euid of", curpsinfo->pr_euid] = count();
		@v["threads", curpsinfo->pr_nlwp] = count(); @v["cpuinfo", curcpu->cpu_id] = count();
		@v["child", progenyof($target)] = count();
		@s["fname", curpsinfo->pr_fname] = count(); @s["class", curlwpsinfo->pr_clname] = count(); }
	sched:::off-cpu /args[1]->pr_pid == $target && stringof(((struct task_struct *)arg0)->comm) == "turns-b"/ {
		@v["next tid", args[0]->pr_lwpid] = count(); @v["next nice", args[0]->pr_nice] = count();
		@v["next pri", args[0]->pr_pri] = count(); @v["next bind", args[0]->pr_bindpro] = count();
		@v["next onpro", args[0]->pr_onpro] = count(); @v["next flag", args[0]->pr_flag] = count();
		@v["next pid", args[1]->pr_pid] = count(); @v["next ppid", args[1]->pr_ppid] = count();
		@v["next threads", args[1]->pr_nlwp] = count(); @v["next state", args[0]->pr_state] = count();
		@s["next fname", args[1]->pr_fname] = count(); @s["next class", args[0]->pr_clname] = count(); }
	sched:::enqueue /args[1]->pr_pid == $target && stringof(((struct task_struct *)arg0)->comm) == "turns-b"/ {
		@v["queue", args[2]->cpu_id] = count(); @v["queued tid", args[0]->pr_lwpid] = count();
		@v["queued pid", args[1]->pr_pid] = count(); @v["queued where", args[3]] = count(); }
	sched:::dequeue /args[1]->pr_pid == $target && stringof(((struct task_struct *)arg0)->comm) == "turns-b"/ {
		@v["unqueued", args[2]->cpu_id] = count(); @v["unqueued tid", args[0]->pr_lwpid] = count(); }
	sched:::wakeup /pid == $target && (execname == "turns-a" || execname == "turns-b")/ {
	@v["woken tid", args[0]->pr_lwpid] = count(); @v["woken pid", args[1]->pr_pid] = count(); }
	sched:::sleep /pid == $target && (execname == "turns-a" || execname == "turns-b")/ {
	@v["sleeper", tid == curlwpsinfo->pr_lwpid] = count(); @v["sleeper pid", curpsinfo->pr_pid] = count();
		@v["state", curlwpsinfo->pr_state] = count(); @v["letter", curlwpsinfo->pr_sname] = count(); }
	END { printa("%s %d\n", @v); printa("%s %s\n", @s); }' -c "$turns a b"
values() { awk -v n="$1" 'index($0, n " ") == 1 && NF == split(n, x) + 1 { printf "%s%s", s, $NF;
	s = "," }' "$work/d"; }
fact() { printf '%s\n' "$out" | awk -v t="$1" -v n="$2" '$1 == t && $2 == n { print $3 }'; }
tid=$(fact turns-b tid) pid=$(fact all pid)
while read -r name want; do
	name=$(echo "$name" | tr _ ' ')
	got=$(values "$name")
	# outside of the initial name space, a thread that ends has lost its ID when it leaves the CPU for the last time
	initial_pids || got=${got#0,}
	is "$got" "$want" "$name: $want"
done <<END
tid $tid
pid $pid
ppid $(fact all ppid)
uid $(fact all uid)
cpu $(fact all cpu)
lwpid $tid
onpro $(fact all cpu)
bind $(fact all cpu)
addr 1
ppid_of $(fact all ppid)
pid_of $pid
sid $(fact all sid)
pgid $(fact all pgid)
uid_of $(fact all uid)
euid_of $(fact all uid)
cpuinfo $(fact all cpu)
child 1
fname turns
class TS
next_tid $tid
next_bind $(fact all cpu)
next_onpro $(fact all cpu)
next_flag 0
next_pid $pid
next_ppid $(fact all ppid)
next_fname turns
next_class TS
queue $(fact all cpu)
queued_tid $tid
queued_pid $pid
queued_where 0
unqueued $(fact all cpu)
unqueued_tid $tid
sleeper 1
sleeper_pid $pid
state 1
END
like "$(values letter)" '^(83|68,83|83,68)$' 'the state of a sleeping thread is S or D'
like ",$(values 'woken pid')," ",$pid," 'woken pid: that of the target, besides threads that interrupts wake'
ours=$(fact turns-a nice)	# the nice value of this test
for n in nice 'next nice'; do like "$(values "$n")" "^(5|$ours,5|5,$ours)$" "$n: 5 after it is set"; done
for n in pri 'next pri'; do like "$(values "$n")" "^(14|14,$((19 - ours))|$((19 - ours)),14)$" "$n: 14"; done
like "$(values threads)" '^([1-3],?)+$' 'the process has three threads'
like ",$(values 'woken tid')," ",($tid|$(fact turns-a tid))," 'the threads wake each other'

# ---- a mutex with priority inheritance ----
trace "$DTR" -q -o "$work/d" -n 'sched:::change-pri /args[1]->pr_pid == $target &&
	stringof(((struct task_struct *)arg0)->comm) == "turns-lo"/ {
		@[args[2]] = count(); @own[args[1]->pr_fname, args[0]->pr_pri] = count(); }
	END { printa("%d %@d\n", @); printa("%s %d %@d\n", @own); }' -c "$turns lo hi"
if printf '%s\n' "$err" | grep -q '^no real-time priority'; then
	skip 'change-pri: to the priority of the waiting thread and back' 'no real-time priorities'
else
	is "$status" 0 'a mutex with priority inheritance'
	own=$((19 - $(fact turns-lo nice)))
	is "$(grep '^[0-9]' "$work/d" | sort)" "$(printf '%s 5\n50 5\n' $own | sort)" \
		'change-pri: to the priority of the waiting thread and back'
	is "$(grep '^t' "$work/d" | sort)" "$(printf 'turns %s 5\nturns 50 5\n' $own | sort)" \
		'change-pri: args[0] has the old priority'
fi

# ---- a thread that yields either leaves the CPU or stays ----
if ! "$DTR" -l -n sched:::remain-cpu >/dev/null 2>&1; then
	skip 'a yield fires preempt or remain-cpu' 'this kernel has no such tracepoint'
else
	trace "$DTR" -q -o "$work/d" -n 'syscall::sched_yield:entry /pid == $target/ { self->y = 1; }
		sched:::remain-cpu, sched:::preempt /self->y == 1/ { @ = count(); self->y = 2; }
		syscall::sched_yield:return { self->y = 0; } END { printa("%@d\n", @); }' -c "$known"
	is "$(cat "$work/d")" 30 'a yield fires preempt or remain-cpu'
fi

# ---- off-cpu fires before on-cpu of the same switch, also if the script has on-cpu first ----
trace "$DTR" -q -o "$work/d" -n 'uint64_t next[int]; sched:::on-cpu /next[cpu]/ {
	@["on", (uint64_t)curthread == next[cpu]] = count(); next[cpu] = 0; }
	sched:::off-cpu { next[cpu] = arg0; }' -c 'sleep 0.1'
like "$(tr -s ' \n' '  ' <"$work/d")" '^ on 1 [0-9]+ $' 'on-cpu after off-cpu'

# ---- a variable that no clause of on-cpu writes ----
trace "$DTR" -q -o "$work/d" -n 'syscall::clock_nanosleep:entry /pid == $target/ { self->from = timestamp; }
	sched:::on-cpu /self->from/ {
		printf("%d %d\n", pid == $target, timestamp - self->from >= 100000000); exit(0); }' \
	-c 'sleep 0.1'
is "$(cat "$work/d")" '1 1' 'on-cpu only reads a variable of the thread'

# ---- a thread whose IDs are in another PID name space than dtr's ----
if ! unshare -pf true 2>/dev/null; then
	skip 'the events of a program in a PID name space' 'no PID name spaces'
else
	sed 's/ && arg0 == curpsinfo->pr_ppid//' "$SRC/tests/kernel/known.d" >"$work/known.d"
	trace "$DTR" -s "$work/known.d" -o "$work/d" -c "unshare -pf $known"
	sed '/^$/d; /^woken/d' "$work/d" | sort >"$work/got"
	is "$(printf '%s\n' "$out" | sort | diff - "$work/got")" '' 'the events of a program in a PID name space'
	if unshare -pf --mount-proc true 2>/dev/null; then
		trace unshare -pf --mount-proc "$DTR" -s "$SRC/tests/kernel/known.d" -o "$work/d" -c \
			"sh -c 'exec $known'"
		sed '/^$/d; /^woken/d' "$work/d" | sort >"$work/got"
		is "$(printf '%s\n' "$out" | sort | diff - "$work/got")" '' \
			'the events of a program in the PID name space of dtr'
		trace unshare -pf --mount-proc "$DTR" -q -n 'proc:::start /progenyof($target)/ {
				@[pid == curpsinfo->pr_pid && tid == curlwpsinfo->pr_lwpid &&
				ppid == curpsinfo->pr_ppid && pid < 1000] = count(); }
			proc:::create /pid == $target/ { @c[args[0]->pr_ppid == $target &&
			args[0]->pr_pid > $target && args[0]->pr_pid < 1000] = count(); }
			sched:::on-cpu /pid == $target && tid == curlwpsinfo->pr_lwpid/ { @on["came"] = count(); }
			END { printa("start %d %@d\n", @); printa("create %d %@d\n", @c); printa("%s %@d\n", @on); }' \
				-o "$work/d" -c "$known"
		is "$(grep -v came "$work/d")" "start 1 17
create 1 17" 'IDs are those in the name space of dtr'
		like "$(cat "$work/d")" '^came [1-9]' 'IDs at on-cpu are those in the name space of dtr'
	fi
fi
done_testing
