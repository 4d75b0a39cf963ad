# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Variables on this kernel: threads, time, registers and processes.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
threads=$here/tests/kernel/threads

# ---- threads that reuse an ID: no thread variable of the previous thread remains ----
# A name of its own tells it from those of other tests: the members of a process that has ended cannot be read.
reuse=reuse$$
cp "$threads" "$work/$reuse"
if "$threads" reuse 2 1 >/dev/null 2>&1; then
	run "$DTR" -q -x ledger=off -n '
		self string s; self int a[string, int];
		profile-997 /execname == $$1 && self->s == "" && !self->a["k", 1]/ { @first = count(); }
		profile-997 /execname == $$1/ { self->a["k", 1]++; self->s = "seen"; self->n++; @tids[tid] = count(); }
		profile-997 /execname == $$1 && self->a["k", 1] != self->n/ { @differ = count(); }
		END { printa("first %@d ", @first); printa("differ %@d ", @differ); }' \
		-c "$work/$reuse reuse 5 40" "$reuse"
	n=$(printf '%s\n' "$out" | sed -n 's/^first \([0-9]*\).*/\1/p')
	# the process that starts them may be sampled, too; a thread whose variable was dropped counts twice, and the
	# drop is reported
	lost=$(printf '%s\n' "$err" | sed -n 's/^dtr: \([0-9]*\) dynamic variable drop.*/+\1/p')
	between "$n" 5 "$((6 $lost))" 'five threads with the same ID have separate variables'
	unlike "$out" 'differ' 'self->a[] and self-> belong to the same thread'
else
	skip 'five threads with the same ID have separate variables' 'this kernel does not permit choosing a thread ID'
fi

# ---- many threads end: their elements are freed, those of threads that live are not ----
# crowd NAME N OPTIONS CLAUSE: 200 threads live while N others end. Each makes two calls, those that live two more.
# The kernel frees threads some time after they have ended, so there is room for half of their elements or more.
crowd() {
	# shellcheck disable=SC2086
	run "$DTR" -qn "self string t; syscall::getpgid:entry /pid == \$target/ { self->a[1]++; self->a[2] += 2; $4
		@[self->a[1], self->a[2]] = count(); } END { printa(\"%d %d %@d\\n\", @); }" $3 \
		-c "$threads crowd $2 200 0"
	is "$(printf '%s\n' "$out" | sort)" "1 2 $(($2 + 200))
2 4 $(($2 + 200))
3 6 200
4 8 200" "$1: each thread has its own elements"
	unlike "ended $err" drops "$1: no drops"
}
if ! types; then
	skip 'elements of ended threads' 'this kernel offers no type information'
elif with_bpf 'calls of 20,000 threads'; then
	crowd 'threads that end' 20000 '-x dynvarsize=2390k' ''	# room for 21,851 elements of 24 bytes
	crowd 'no table of thread-local variables' 20000 '-x dynvarsize=2390k' 'self->t = "a long one";'
	# elements of one array are created rarely; room for 7,710 of b
	crowd 'several arrays' 10000 '-x dynvarsize=2711k' 'self->b[execname, pid] = 1; self->c[1] = self->a[1] == 4;'
fi
if [ "$(id -u)" != 0 ]; then
	skip 'rootless engine: threads that end' 'an ordinary user learns late of their ends'
elif if_can 'rootless engine: threads that end' perf_events; then
	# room for 42 elements
	# A dtr that gets no CPU time learns of many ended threads at once: ten tries. A leak shows in each.
	tries=0
	until run "$DTR" -x engine=user -x ledger=off -x dynvarsize=4704 -qn '
		profile-997 /pid == $target/ { self->a[1]++; @[self->a[1] != 0] = count(); }
		END { printa("%d %@d\n", @); }' -c "$threads crowd 200 0 10"
		case $err in *drops*) false ;; esac || [ $((tries += 1)) -ge 10 ]; do :; done
	like "$out" '^1 [0-9]+$' 'rootless engine: threads that end: samples were counted'
	unlike "ended $err" drops 'rootless engine: threads that end: no drops'
fi

# ---- vtimestamp ----
run "$DTR" -q -x ledger=off -n 'profile-997 /pid == $target/ { printf("S %d %d\n", timestamp, vtimestamp); }' \
	-c "$threads share 5 40"
printf '%s\n' "$out" >"$work/share"
# Firings in code that cannot be sampled are processed later, several at once. What the process does after it has
# printed its times (its exit, which takes long under emulation) is left out.
set -- $(awk -v late="${DTR_OPT_ENGINE:-bpf}" '
	NF == 2 { ran = $1; end = $2; next }
	$1 == "S" { ts[++n] = $2; vs[n] = $3 }
	END {
		for (i = 1; i <= n && ts[i] <= end; i++) {
			if (i == 1) continue
			if (vs[i] < vs[i - 1] || (vs[i] == vs[i - 1] && late != "user")) back++
			if (vs[i] - vs[i - 1] > ts[i] - ts[i - 1]) more++
			if (vs[i] - vs[i - 1] == ts[i] - ts[i - 1]) same++
		}
		print i - 1, back + 0, more + 0, same + 0, vs[i - 1], ran, end - ts[i - 1]
	}' "$work/share")
# A CPU's timer may fire at once for a thread that has just come to it.
between "$1" 10 "$(($6 / 1003009 + 50))" 'a process that runs and sleeps is sampled while it runs'
is "$2" 0 'vtimestamp grows from sample to sample'
is "$3" 0 'vtimestamp never grows by more than timestamp'
between "$4" 5 "$1" 'vtimestamp grows by as much as timestamp if the thread was not interrupted'
# After the last sample the thread ran for no longer than the clock moved on; it slept for at least 200 ms in all. The
# clocks of an emulated machine may differ by some percent.
! if_can 'vtimestamp is the CPU time' same_time ||
	between "$5" "$(($6 - $7 - $6 / 20 - 5000000))" "$(($6 + 100000000))" \
	'vtimestamp is the CPU time by the thread'"'"'s own clock, without sleep'

run "$DTR" -qn 'BEGIN { self->t = timestamp; self->v = vtimestamp; }
	BEGIN { printf("%d", timestamp - self->t >= vtimestamp - self->v && vtimestamp > 0); exit(0); }'
is "$out" 1 'vtimestamp in BEGIN'

if with_bpf 'probes of the scheduler' && if_can 'vtimestamp at a switch' types; then
# At a switch: vtimestamp does not advance while the thread is off CPU, whichever program the kernel runs first.
run "$DTR" -qn 'self uint64_t v, left, on; sched:::off-cpu /pid == $target && self->on/
		{ @long = max((int64_t)(vtimestamp - self->v) - (int64_t)(timestamp - self->on));
		self->left = vtimestamp; self->on = 0; }
	sched:::on-cpu /pid == $target/ { self->on = timestamp; self->v = vtimestamp; }
	sched:::on-cpu /pid == $target && self->left/ { @n = count();
	@least = min((int64_t)(vtimestamp - self->left)); }
	END { printa("%@d %@d %@d\n", @n, @least, @long); }' -c \
		"/bin/sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.02; done'"
set -- $(printf '%s\n' "$out" | head -n 1)
between "$1" 8 1000000 'switches are seen'
between "$2" 0 15000000 'vtimestamp neither goes back at a switch nor counts sleep'
between "$3" -1000000000 0 'vtimestamp grows no faster than the clock'
fi

# ---- registers and callers ----
run "$DTR" -q -x ledger=off -n '
	profile-997 /arg1 && pid == $target/ { @n = count(); }
	profile-997 /arg1 && (uregs[R_PC] != arg1 || uregs[R_SP] == 0)/ { @bad = count(); }
	profile-997 /arg1 && pid == $target/ { @caller[ucaller] = count(); @depth = max(ustackdepth); n++; }
	profile-997 /n >= 100/ { exit(0); }
	END { printa("n %@d\n", @n); printa("bad %@d\n", @bad); printa("caller %x %@d\n", @caller);
	printa("depth %@d\n", @depth); }' \
	-c "$threads call 60000"
between "$(printf '%s\n' "$out" | sed -n 's/^n //p')" 100 100000 'samples in a function'
unlike "$out" '^bad' 'uregs[R_PC] is arg1'
addr=$(printf '%s\n' "$out" | grep -E '^[0-9a-f]+$')
like "$out" "^caller $addr [0-9]+\$" 'ucaller is the return address of the function'
between "$(printf '%s\n' "$out" | sed -n 's/^depth //p')" 2 127 'ustackdepth'
run "$DTR" -q -x ledger=off -n 'profile-997 /uregs[R_PC] && pid == 0/ { @bad = count(); } tick-200ms { exit(0); }
	END { printa("bad %@d", @bad); }'
! if_can 'the idle thread' initial_pids || is "$status:$out" 0: 'the idle thread has no user registers'

# ---- directories ----
mkdir -p "$work/a dir/b"
cd "$work/a dir/b" || exit 1
here_is=$(pwd -P)
run "$DTR" -qn 'BEGIN { printf("%s:%s:%s", cwd, root, d_path(&curthread->fs->pwd)); exit(0); }'
is "$out" "$here_is:/:$here_is" 'cwd and root of this process'
cd /proc/self || exit 1
run "$DTR" -qn 'BEGIN { printf("%s:%d", cwd, cwd == "/proc/self"); exit(0); }'
like "$out" '^/proc/[0-9]+:0$' 'cwd in another mount'
cd / || exit 1
run "$DTR" -qn 'BEGIN { trace(cwd); exit(0); }'
is "$out" / 'cwd in the root directory'
cd "$work" || exit 1
deep=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36; do
	deep=$deep/d$i
done
mkdir -p "$work/jail$deep" && cd "$work/jail$deep" || exit 1
run "$DTR" -qn 'BEGIN { trace(cwd); exit(0); }'
like "$out" '^\.\.\./d[5-9]/.*/d36$' 'cwd with more than 32 names has the last ones'
run "$DTR" -q -x strsize=16 -n 'BEGIN { printf("%s.", cwd); exit(0); }'
like "$out" '^\.\.\./d[5-9][/d0-9]{9}\.$' 'cwd longer than strsize is truncated'
cd / || exit 1
# The first mount of the file system may show only a part of it: of two, one is older.
if with_bpf 'the mounts of a file system' && if_can 'd_path() outside of the first mount' types; then
	# shellcheck disable=SC2016
	in_part='mount -t tmpfs none "$1" && mkdir "$1/part" "$1/other" "$1/part/a" "$1/other/b" "$1/all" || exit
		mount --bind "$1/part" "$1/part/a" && mount --bind "$1" "$1/all" && cd "$1/all/other/b" || exit
		shift && "$@"'
	mkdir "$work/mounted"
	run unshare -m sh -c "$in_part" sh "$work/mounted" "$DTR" -qn 'BEGIN {
		printf("%s", d_path(curthread->fs->pwd.dentry, 1)); exit(0); }'
	like "$status:$out" '^0:(/[a-z][^/]*)*/other/b$' 'd_path() of a directory entry outside of the first mount'
	rmdir "$work/mounted"
fi
run "$DTR" -qn 'BEGIN { trace(d_path((struct path *)16)); } ERROR { printf("%x", arg5); exit(0); }'
is "$out" 10 'd_path() of a bad pointer is a fault'
like "$err" 'invalid address \(0x10\)' 'the fault is reported with its address'

busybox=$(command -v busybox)
if [ -n "$busybox" ] && cp "$busybox" "$work/jail/busybox" && chroot "$work/jail" /busybox true 2>/dev/null; then
	jail=$(cd "$work/jail" && pwd -P)
	run "$DTR" -q -x ledger=off -n 'profile-997 /execname == "busybox" && cwd != "/"/ {
		printf("%s %s\n", cwd, root); exit(0); }' \
		-c "chroot $work/jail /busybox sh -c 'cd /d1/d2; while :; do :; done'"
	is "$(echo $out)" "/d1/d2 $jail" 'cwd and root of a process in a chroot'
else
	skip 'cwd and root of a process in a chroot' 'no statically linked busybox'
fi

# ---- arguments ----
run "$DTR" -qn 'BEGIN { printf("[%s]", execargs); exit($1 - $1); }' 5 -x strsize=1024
is "$out" "[$DTR -qn BEGIN { printf(\"[%s]\", execargs); exit(\$1 - \$1); } 5 -x strsize=1024]" \
	'execargs of this process'
run "$DTR" -qn 'BEGIN { printf("[%s]", curpsinfo->pr_psargs); exit(0); }' -x strsize=32
is "$out" "[$(printf '%s' "$DTR -qn BEGIN { printf(\"[%s]\", curps" | cut -c1-31)]" \
	'curpsinfo->pr_psargs is truncated at strsize'
run "$DTR" -q -x ledger=off -n 'profile-997 /pid == 0/ { @[execargs == execname] = count(); } tick-200ms { exit(0); }
	END { printa("%d ", @); printf("end"); }'
! if_can 'a kernel thread' initial_pids || like "$out" '^(1 )?end$' 'execargs of a kernel thread is its name'
run "$DTR" -q -x ledger=off -n 'profile-997 /pid == $target && execname == "sh" && n++ > 9/ {
	printf("%s", execargs); exit(0); }' \
	-c "sh -c 'i=0; while :; do i=\$((i+1)); done' a \"\" c"
is "$out" 'sh -c i=0; while :; do i=$((i+1)); done a  c' 'execargs of another process, with an empty argument'

# ---- curcpu, curpsinfo ----
run "$DTR" -qn 'BEGIN { printf("%d %d %d %d", cpu, curcpu->cpu_chip, curcpu->cpu_lgrp, curcpu->cpu_pset); exit(0); }'
on=${out%% *}
chip=$(cat "/sys/devices/system/cpu/cpu$on/topology/physical_package_id" 2>/dev/null || echo 0)
node=$(ls -d "/sys/devices/system/cpu/cpu$on"/node[0-9]* 2>/dev/null | sed 's/.*node//')
is "$out" "$on $chip ${node:-0} 0" 'curcpu has chip and node of the CPU'
from=$(date +%s)
run "$DTR" -qn 'BEGIN { printf("%d %d", curpsinfo->pr_start.tv_sec, curpsinfo->pr_start.tv_nsec < 1000000000);
	exit(0); }'
between "${out% *}" "$((from - 2))" "$(($(date +%s) + 1))" 'pr_start is the start time of the process'
run setsid "$DTR" -qn 'BEGIN { printf("%d", (int)curpsinfo->pr_ttydev); exit(0); }'
is "$out" -1 'pr_ttydev without a terminal'
if command -v script >/dev/null 2>&1; then
	cat >"$work/tty.sh" <<-EOF
		"$DTR" -qn 'BEGIN { printf("%x %x\n", getmajor(curpsinfo->pr_ttydev), getminor(curpsinfo->pr_ttydev));
			exit(0); }' >"$work/tty1"
		stat -Lc '%t %T' /proc/self/fd/0 >"$work/tty2"
	EOF
	script -qc "sh $work/tty.sh" /dev/null >/dev/null 2>&1
	same "$(cat "$work/tty1")" "$(cat "$work/tty2")" 'pr_ttydev with a terminal'
else
	skip 'pr_ttydev with a terminal' 'no script(1)'
fi

# ---- open files ----
echo text >"$work/a dir/b/file"
fd='fds[3].fi_name, fds[3].fi_dirname, fds[3].fi_pathname, fds[3].fi_mount, fds[3].fi_fs, fds[3].fi_offset, '\
'fds[3].fi_oflags & (O_ACCMODE | O_APPEND)'
exec 3>>"$work/a dir/b/file"
echo more >&3
run "$DTR" -qn "BEGIN { printf(\"%s|%s|%s|%s|%s|%d|%x\", $(echo "$fd" | sed 's/\[3\]/[$1]/g')); exit(0); }" 3
exec 3>&-
mount=$(df -P "$work" | awk 'NR == 2 { print $6 }')
is "$out" "file|$here_is|$here_is/file|$mount|$(findmnt -nvo FSTYPE "$mount" 2>/dev/null ||
	stat -f -c %T "$work")|10|401" 'fds[]'
run "$DTR" -qn 'BEGIN { printf("%s|%s|%d|%s|%s", fds[1000000].fi_pathname, fds[-1].fi_fs, fds[5000].fi_oflags,
	fds[0].fi_pathname,
	fds[1].fi_mount); exit(0); }'
like "$out" '^<none>\|<none>\|0\|/dev/null\|/' 'fds[] of a descriptor that is not open, and of the null device'
run sh -c "echo | $DTR -qn 'BEGIN { printf(\"%s\", fds[0].fi_pathname); exit(0); }'"
is "$out" '<unknown>' 'fds[] of a pipe has no path'

run "$DTR" -qn 'BEGIN { printf("%d %d", curpsinfo->pr_addr == (uintptr_t)curthread->group_leader,
	xlate <psinfo_t> ((struct task_struct *)NULL).pr_addr); exit(0); }'
is "$out" '1 0' 'pr_addr, also of no process'

# ---- containers ----
run "$DTR" -qn 'BEGIN { trace(zonename); exit(0); }'
zone=$out
if unshare -u true 2>/dev/null; then
	run unshare -u sh -c "hostname dtr-box; exec $DTR -qn 'BEGIN { trace(zonename); exit(0); }'"
	is "$out" dtr-box 'zonename is the host name in a separate UTS name space'
	[ "$(readlink /proc/self/ns/uts)" = 'uts:[4026531838]' ] && is "$zone" global \
		'zonename is global in the initial UTS name space'
else
	skip 'zonename' 'no UTS name spaces'
fi

done_testing
