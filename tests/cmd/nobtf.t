# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A kernel without type information: scripts on clocks run in the rootless engine, which has types of its own.
. "$SRC/tests/lib/tap.sh"
as=$here/tests/kernel/as_user
chain=$here/tests/symbols/chain
nobtf="sh $SRC/tests/lab/nobtf.sh"
$nobtf true 2>"$work/err" || { echo "1..0 # SKIP no mount name space: $(head -n 1 "$work/err")"; exit 0; }
need_kernel
cd "$work" || exit 1
REASON='this kernel offers no type information \(/sys/kernel/btf/vmlinux\)'

# The values of a process, compared with those of ps. It runs with another priority, so that this is not the default.
nice -n 5 "$chain" 1000000 >/dev/null &
child=$!
children="$children $child"
VALUES='profile-97 /pid == $target && progenyof($target)/ {
	printf("%d %d %d %d %d %d %s|%s|%s\n", ppid, curlwpsinfo->pr_pri, curthread->prio, curpsinfo->pr_sid,
		curpsinfo->pr_pgid, curpsinfo->pr_nlwp, curpsinfo->pr_psargs, curlwpsinfo->pr_clname, execargs);
	exit(0);
}'
wanted() {
	ps -o ppid=,pri=,sid=,pgid=,nlwp=,cls=,args= -p "$child" | awk '{
		args = $7
		for (i = 8; i <= NF; i++) args = args " " $i
		print $1, $2, 139 - $2, $3, $4, $5, args "|" $6 "|" args }'
}
run $nobtf "$DTR" -qn "$VALUES" -p "$child"
is "$status:$err" 0: 'root: a script with a profile probe runs'
is "$out" "$(wanted)" 'ppid, curlwpsinfo, curthread, curpsinfo and execargs are those of ps'
run $nobtf "$DTR" -n 'BEGIN { trace(ppid); exit(0); }'
is "$status" 0 'BEGIN'
like "$err" "^dtr: $REASON; the script runs in this process\$" 'one line names the engine and the reason'
run $nobtf "$DTR" -qn 'BEGIN { this->t = (struct task_struct *)curthread;
	printf("%d %d %d\n", this->t->tgid == pid, vtimestamp > 0, curcpu->cpu_id == cpu); exit(0); }'
is "$out" '1 1 1' 'a type that the script names, vtimestamp, curcpu'
run $nobtf "$DTR" -qn 'BEGIN { printf("%s %s %s\n", cwd, fds[0].fi_pathname, zonename); exit(0); }' </dev/null
is "$out" "$(pwd) /dev/null global" 'cwd, fds, zonename'
run $nobtf "$DTR" -qn 'BEGIN { print(*curthread->nsproxy->uts_ns); exit(0); }'
like "$status:$out" "release = \\[ .$(uname -r | sed 's/[.+]/[&]/g'). \\]" 'print() of a structure of the kernel'
run $nobtf "$DTR" -qn 'inline int parent = ppid; BEGIN { printf("%d\n", parent > 0); exit(0); }'
is "$out" 1 'an inline that needs them'
run $nobtf "$DTR" -n 'BEGIN { trace(pid); exit(0); }'
unlike "$err" 'the script runs in this process' 'a script that needs no types runs in the kernel'
run $nobtf "$DTR" flame -o x.folded -c "$chain 300"
is "$status" 0 'dtr flame'
like "$(cat x.folded)" '^chain;.*chain`main;chain`outer;.*chain`inner [0-9]+$' \
	'the picture has the stacks of the program'

run $nobtf "$DTR" -qn 'BEGIN { this->p = (psinfo_t *)0;
	printf("%s\n", xlate <psinfo_t> ((struct task_struct *)curthread).pr_fname); exit(0); }'
is "$status:$out" 0:dtr 'types and translators of the prelude'

# ---- what is not known
run $nobtf "$DTR" -qn 'BEGIN { trace(curthread->exit_signal); exit(0); }'
like "$status:$err" "^1:.*exit_signal of struct task_struct is not known: $REASON" 'another member'
run $nobtf "$DTR" -qn 'BEGIN { trace(curthread->exit_code); exit(0); }'
like "$status:$err" "^1:.*curthread->exit_code is not known: $REASON" 'a member that is only described'
run $nobtf "$DTR" -qn 'BEGIN { trace(((struct bio *)1)->bi_opf); exit(0); }'
like "$status:$err" "^1:.*bi_opf of struct bio is not known: $REASON" 'a member of a structure that is only named'
run $nobtf "$DTR" -qn 'BEGIN { trace((struct nosuch *)0); exit(0); }'
like "$status:$err" "^1:.*type struct nosuch is not known: $REASON" 'another type'

# ---- the kernel engine reads the kernel's memory: it does not use these types
refused() { # SCRIPT WHAT NAME: one error, with the reason
	run $nobtf "$DTR" -qn "$1"
	like "$status:$err" "^1:.*$2: $REASON" "$3 is refused"
	is "$(printf '%s\n' "$err" | grep -c '^dtr:')" 1 "$3: one error"
}
refused 'syscall:::entry { trace(ppid); exit(0); }' 'ppid needs the kernel.s struct task_struct.real_parent' ppid
refused 'syscall:::entry { trace(execargs); exit(0); }' 'execargs needs the kernel.s struct task_struct.mm' execargs
refused 'syscall:::entry { trace(vtimestamp); exit(0); }' 'vtimestamp needs the kernel.s struct task_struct.se' \
	vtimestamp
refused 'syscall:::entry { trace(curpsinfo->pr_pid); exit(0); }' curpsinfo curpsinfo
refused 'syscall:::entry { trace(cwd); exit(0); }' cwd cwd
refused 'syscall:::entry { trace((struct task_struct *)0); exit(0); }' 'type struct task_struct is not known' 'a cast'
refused 'syscall:::entry { trace((psinfo_t *)0); exit(0); }' 'type psinfo_t is not known' 'a type of the prelude'
refused 'syscall:::entry { trace((nosuch_t *)0); exit(0); }' 'type nosuch_t is not known' 'an unknown type'
refused '#pragma D option engine=bpf
	BEGIN { trace(curthread->prio); exit(0); }' curthread 'engine=bpf'
# Texts that dtr makes for a probe: the error is at the place in the script that needs them.
refused 'syscall::nanosleep:entry { trace(args[0]->tv_sec); }' \
	'specifier syscall::nanosleep:entry .*line 1: type struct __kernel_timespec is not known' 'args[]'
refused 'sysinfo::: { @[probename] = count(); }' 'specifier sysinfo::: .*line 1: type struct bio is not known' \
	'a probe at a part of the firings of a tracepoint'
run $nobtf "$DTR" exact -c true
like "$status:$err" "^1:.*curpsinfo: $REASON" 'dtr exact fails with the reason'
is "$(printf '%s\n' "$err" | grep -c '^dtr:')" 1 'and with no other error'

# ---- an unprivileged user
if "$as" test -x "$DTR" && "$as" test -r "$SRC/share/prelude.d"; then
	chmod 711 .
	mkdir -m 777 theirs
	run $nobtf "$as" "$DTR" -qn 'BEGIN { printf("%s %d\n", curpsinfo->pr_fname, ppid > 0); exit(0); }'
	is "$status:$out:$err" '0:dtr 1:' 'a user: curpsinfo and ppid'
	run $nobtf "$as" "$DTR" -qn 'profile-997 /progenyof($target)/ { @[curpsinfo->pr_psargs] = count(); }' \
		-c "$chain 200"
	like "$status:$out" "$chain 200 +[0-9]+" 'a user: progenyof() and the arguments of a command'
	run $nobtf "$as" "$DTR" flame -o theirs/x.folded -c "$chain 300"
	like "$(cat theirs/x.folded)" '^chain;.*chain`main;chain`outer;.*chain`inner [0-9]+$' 'a user: dtr flame'
else
	skip 'a user' 'another user cannot read the build'
fi

# ---- recordings
run $nobtf "$DTR" record -g -q -c "$chain 200" -o x.rec
is "$status" 0 'dtr record'
run $nobtf "$DTR" -qr x.rec -n 'profile-997 { @[curpsinfo->pr_fname, curlwpsinfo->pr_pri] = count(); }'
like "$status:$out" 'chain +19 +[0-9]+' 'a query has the priority'
stop "$child"
done_testing
