# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# proc, sched, syscall and sdt on this kernel, checked against a program whose events are all known.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
need_ptrace
need_types
known=$here/tests/kernel/known
known_calls

# ---- every event, exactly ----
run "$DTR" -s "$SRC/tests/kernel/known.d" -c "sh -c 'exec $known >$work/want'"
is "$status" 0 'the events of a program are counted'
is "$err" '' 'without a message'
printf '%s\n' "$out" | sed '/^$/d; /^woken/d' | sort >"$work/got"
sort "$work/want" >"$work/sorted"
while read -r name n; do
	is "$(sed -n "s/^$name //p" "$work/got")" "$n" "$name: $n"
done <"$work/sorted"
is "$(awk 'NR == FNR { want[$1] = 1; next } !($1 in want)' "$work/sorted" "$work/got")" '' 'no other events are counted'

# Each unseen switch onto a CPU and each unseen wake-up follows an interval without tracing (known.d). At the end, one
# such interval may be in progress on each CPU.
# shellcheck disable=SC2046
set -- $(printf '%s\n' "$out" | awk '/^woken/ { n[$1] = $2 } END { print n["woken"] + 0, n["woken-unseen"] + 0,
	n["woken-unheard"] + 0, n["woken-stretches"] + 0 }')
naps=$(sed -n 's/^naps //p' "$work/want")
is "$(($1 + $2 + $3))" "$naps" "wake-ups of the sleeper: $naps ($1 seen, $2 with an unseen switch, $3 unseen)"
between "$(($2 + $3))" 0 "$(($4 + $(nproc)))" 'a wake-up is unseen only while tracing is suspended'

# ---- threads that end at the same time: proc:::exit fires once for the process ----
run "$DTR" -q -n 'proc:::exit /progenyof($target) && execname == "together"/ { @n = count(); } END {
	printa("%@d\n", @n); }' \
	-c "$here/tests/kernel/together 300"
is "$(echo $out)" '300 301' 'proc:::exit fires once per process even if many threads end at the same time'

# ---- one clause for all system calls ----
run "$DTR" -q -n 'syscall:::entry /progenyof($target) && execname == "known"/ { @[probefunc] = count();
	@all = count(); @ids[id] = count(); }
	END { printa("%s %@d\n", @); printa("all %@d\n", @all); printa("id %d %@d\n", @ids); }' -c "$known"
is "$(printf '%s\n' "$out" | sed -n 's/^getppid \([0-9]*\)$/\1/p' | tail -n 1)" 1000 'probefunc as a key'
is "$(printf '%s\n' "$out" | awk '$1 == "all" { all = $2; next } $1 == "id" { ids += $3; next }
	NF == 2 && $1 !~ /-/ { n[$1] = $2 } END { print ids - all }')" 0 \
		'id distinguishes the probes, and none is missing'
is "$("$DTR" -l -n 'syscall::getppid:' | awk 'NR > 1 { print $2, $3, $4, $5 }')" 'syscall vmlinux getppid entry
syscall vmlinux getppid return' '-l lists entry and return'

# ---- the first frame of a stack is in the traced code ----
run "$DTR" -q -n 'syscall::getppid:entry /pid == $target/ { stack(8); @[stack(8)] = count(); @d = max(stackdepth);
	exit(0); }
	sched:::off-cpu /pid == $target/ { @s[stack(8)] = count(); } END { printa("%k%@d\n", @);
	printa("%k%@d\n", @s); printa("depth %@d\n", @d); }' -c "$known"
like "$out" 'do_syscall|el0_svc' 'stack() at a system call'
like "$out" 'schedule' 'stack() at a switch'
unlike "$out" 'bpf_prog_[0-9a-f]{16}|bpf_trace_run|__traceiter_|__bpf_trace_' \
	'stacks do not contain the callers of the BPF program'

# ---- names of other systems ----
run "$DTR" -q -n 'syscall::exece:return, syscall::execve:return, syscall::acl:return /pid == $target/ {
	@[probefunc] = count(); }
	syscall::rexit:entry /pid == $target/ { @[probefunc] = count(); }
	proc::proc_exit:exit /pid == $target/ { @["exit"] = count(); } END { printa("%s %@d,", @); }' -c \
		"sh -c 'exec /bin/true'"
is "$status:$out" '0:execve 1,exit 1,exit_group 1,' 'exece means only execve, and rexit means exit_group'
like "$err" 'warning: .*syscall::acl:return matches nothing: Linux has no acl' \
	'a system call that Linux does not have is a warning'
run "$DTR" -q -n 'syscall::getppid:return, syscall::*read*nocancel*:entry, syscall::*_nocancel:entry
	/progenyof($target) && execname == "known" && probefunc != "read_nocancel"/ { @[probefunc] = count(); }
	END { printa("%s %@d,", @); }' -c "$known"
like "$status:$out" "getppid 1000,$" 'patterns of names that only other systems have match nothing'
is "$(printf '%s\n' "$err" | grep -c 'warning: .*matches nothing: Linux has no .*_nocancel')" 2 \
	'each of them is a warning'
run "$DTR" -qZ -n 'syscall::*_nocancel:entry { @ = count(); } BEGIN { exit(0); }'
is "$status:$err" 0: '-Z accepts them silently'
run "$DTR" -q -n 'syscall::*_nocancel:start, syscall::*nosuch*:entry { @ = count(); } BEGIN { exit(0); }'
is "$status:$(printf '%s\n' "$err" | grep -c 'does not match any probes')" 1:2 'other patterns fail'

# ---- several clauses with different sets of system calls ----
run "$DTR" -q -n '
	syscall::getppid:entry, syscall::close:entry, syscall::sched_yield:entry /progenyof($target) &&
	execname == "known"/ { @a[probefunc] = count(); }
	syscall::get*:entry /progenyof($target) && execname == "known"/ { @b[probefunc, probename] = count(); }
	syscall::sched_yield:entry /progenyof($target) && execname == "known"/ { @c[epid != 0, id] = count(); }
	syscall::getppid:return, syscall::sched_yield:return /progenyof($target) && execname == "known" && arg0 / {
	@d[probefunc] = count(); }
	END { printa("a %s %@d\n", @a); printa("b %s %s %@d\n", @b); printa("c %@d\n", @c);
	printa("d %s %@d\n", @d); }' -c "$known"
like "$out" '^a getppid 1000$' 'a call that two clauses name: the first clause'
like "$out" '^b getppid entry 1000$' 'a call that two clauses name: the second clause'
like "$out" '^a sched_yield 30$' 'a clause with three calls'
like "$out" '^c 30$' 'a clause with one call'
like "$out" '^d getppid 1000$' 'a clause with returns'
unlike "$out" '^d sched_yield|^b (close|sched)' 'no clause fires for a call that it does not name'

# ---- the default action and faults name the system call ----
run "$DTR" -n \
	'syscall::getppid:entry, syscall::close:entry /progenyof($target) && execname == "known" && '\
'!hit[probefunc]++/' -c "$known"
like "$out" ' getppid:entry' 'the default action names the call'
run "$DTR" -q -n 'syscall::getppid:entry, syscall::sched_yield:entry /progenyof($target) && execname == "known"/ {
	trace(*(int *)8); }' -c "$known"
like "$err" 'syscall:vmlinux:getppid:entry\): invalid address' 'a fault names the call'
like "$err" 'syscall:vmlinux:sched_yield:entry\): invalid address' 'a fault names the other call'

# ---- sdt ----
run "$DTR" -q -n 'sdt:::sched_process_fork /progenyof($target) && execname == "known"/ { @n = count();
		@own = sum(args[0]->pid == tid && args[1]->pid == arg1 ? 1 : stringof(args[1]->comm) == execname); }
	rawtp:::sched_process_exec /progenyof($target) && execname == "known"/ { @e = count(); }
	END { printa("forks %@d\n", @n); printa("own %@d\n", @own); printa("execs %@d\n", @e); }' -c \
		"sh -c 'exec $known >$work/want'"
is "$(printf '%s\n' "$out" | sed -n 's/^forks //p')" "$(sed -n 's/^lwp-create //p' "$work/want")" \
	'a tracepoint fires once for each event'
is "$(printf '%s\n' "$out" | sed -n 's/^own //p')" "$(sed -n 's/^lwp-create //p' "$work/want")" \
	'args[] of a tracepoint'
is "$(printf '%s\n' "$out" | sed -n 's/^execs //p')" "$(sed -n 's/^exec-success //p' "$work/want")" \
	'a raw tracepoint fires once for each event'

# ---- threads: each one that leaves a CPU was switched onto it before ----
run "$DTR" -q -n '
	sched:::on-cpu { self->on = timestamp; self->tid = tid; self->pid = pid; self->thread = (uint64_t)curthread; }
	sched:::off-cpu /self->on/ { @n = count(); @same = sum(self->tid == tid && self->pid == pid &&
		self->thread == (uint64_t)curthread); self->on = 0; }
	uint64_t came[int];
	sched:::enqueue /args[1]->pr_fname == "known"/ { @in[args[1]->pr_pid] = count(); }
	sched:::dequeue /args[1]->pr_fname == "known"/ { @out[args[1]->pr_pid] = count(); }
	sched:::on-cpu /progenyof($target) && execname == "known"/ { @its[pid] = count(); }
	sdt:::sched_switch /came[cpu] && came[cpu] != arg1/ { @stretches = count(); }
	sdt:::sched_switch { came[cpu] = arg2; }
	sched:::dequeue { @gone = count(); } sched:::dequeue { @cpu = sum(args[2]->cpu_id == cpu ||
	args[2]->cpu_id < 4096 && args[2]->cpu_id >= 0); }
	END { printa("n %@d\n", @n); printa("same %@d\n", @same); printa("cpu %@d\n", @cpu);
	printa("gone %@d\n", @gone);
		printa("its %d %@d\n", @its); printa("in %d %@d\n", @in); printa("out %d %@d\n", @out);
		printa("stretches %@d\n", @stretches); }' -c "$known"
n=$(printf '%s\n' "$out" | sed -n 's/^n //p')
between "$n" 50 10000000 'threads leave CPUs'
! if_can 'off-cpu of threads that have ended' initial_pids ||
	is "$(printf '%s\n' "$out" | sed -n 's/^same //p')" "$n" 'off-cpu sees the thread variables that on-cpu set'
is "$(printf '%s\n' "$out" | sed -n 's/^cpu //p')" "$(printf '%s\n' "$out" | sed -n 's/^gone //p')" \
	'run queues have CPU numbers'
# Each process of the program begins and ends on a CPU. In an interval without tracing (known.d), a few threads may
# enter a run queue unseen, and one may leave it.
# shellcheck disable=SC2046
set -- $(printf '%s\n' "$out" | awk '$1 == "its" { its[$2] = 1 } $1 == "in" { n[$2] = $3 } $1 == "out" { m[$2] = $3 }
	$1 == "stretches" { s = $2 }
	END { for (p in its) { i += n[p]; o += m[p] } print i + 0, o + 0, s + 0 }')
between "$1" 30 10000000 'threads enter run queues'
cpus=$(nproc)	# one interval without tracing may be in progress on each at the end
between "$(($1 - $2))" "$((-4 * ($3 + cpus)))" "$((4 * ($3 + cpus)))" \
	"threads leave run queues: $1 in, $2 out, $3 intervals without tracing"
run "$DTR" -n 'sched:::cpucaps-sleep'
like "$err" 'Linux has no' 'sched:::cpucaps-sleep is refused with a reason'

# The clock tick: the timer that calls the tick function, whose name depends on the kernel.
run "$DTR" -qn 'sched:::tick /pid == $target/ { @ = count(); @bad = sum(args[1]->pr_pid != pid ||
	args[0]->pr_lwpid != tid); }
	rawtp:::hrtimer_expire_entry /pid == $target/ {
	@f[func((uint64_t)((struct hrtimer *)arg0)->function)] = count(); }
	END { printa("ticks %@d\n", @); printa("bad %@d\n", @bad); printa(@f); }' -c \
		"$here/tests/kernel/busy split 400 0"
n=$(printf '%s\n' "$out" | sed -n 's/^ticks //p')
between "$n" 10 1000000 'ticks during a thread that computes'
same "$n" "$(printf '%s\n' "$out" | awk '/tick_(nohz_handler|sched_timer)/ { print $NF }')" \
	'as many ticks as expirations of the tick timer'
like "$out" '^bad 0$' 'args[] of a tick describe that thread'

# A signal that ends a process keeps its number, and the other threads of a process that exits take none.
cat >"$work/ends" <<'X'
sleep 9 &
kill $!
wait
python3 -c 'import os, threading, time
threading.Thread(target=time.sleep, args=(9,)).start()
os._exit(0)'
X
run "$DTR" -qn 'proc:::signal-handle /progenyof($target) && args[0] != SIGCHLD/ { @[args[0], args[2]] = count(); }' \
	-c "sh $work/ends"
is "$(printf '%s\n' "$out" | awk 'NF { print $1, $2, $3 }')" '15 0 1' 'signal-handle of signals that end a process'

# ---- arguments have types ----
run "$DTR" -lvn 'sched:::off-cpu'
like "$out" 'args\[1\]: psinfo_t \*' '-lv lists argument types'
for p in sdt rawtp; do
	run "$DTR" -lvn "$p:::sched_switch"
	like "$out" 'args\[1\]: struct task_struct \*' "$p: argument types of a tracepoint"
	like "$out" 'args\[0\]: (_Bool|bool|uint8_t|unsigned char|int)' "$p: an argument that is a number"
	between "$("$DTR" -lP $p | wc -l)" 300 100000 "$p: -l lists all tracepoints"
done
run "$DTR" -Z -n 'syscall::no_such_call:entry { trace(args[0]); }'
like "$err" 'no probe matches the description' 'args[] has no types without a matching probe'
# ---- system calls of 32-bit programs have other numbers and are not counted ----
int80=$here/tests/kernel/int80
if calls32; then
	run "$DTR" -x ledger=off -qn 'syscall::semget:entry, syscall::semget:return, syscall::getppid:entry
		/pid == $target/ { @wrong = count(); }
		rawtp:::sys_enter /pid == $target && arg1 == 64/ { @calls = count(); }
		END { printa("wrong %@d\n", @wrong); printa("calls %@d\n", @calls); }' -c "$int80 100"
	is "$out$err" 'calls 100' 'calls of a 32-bit program: none has the name of a 64-bit call'
else
	skip 'calls of a 32-bit program' 'this kernel does not offer them'
fi
done_testing
