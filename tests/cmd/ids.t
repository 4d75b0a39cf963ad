# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# IDs and priorities of threads: what a script shows is what the thread itself sees.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_types
ids=$here/tests/kernel/ids
script='syscall::getpgid:entry /(int)arg0 == 424242/ {
	printf("D %d %d %d %d %d %d %d %d\n", tid, pid, ppid, curpsinfo->pr_pgid, curpsinfo->pr_sid, uid, gid,
	    curlwpsinfo->pr_nice);
	printf("P %d %d %d %d %d %d\n", curlwpsinfo->pr_lwpid, curpsinfo->pr_pid, curpsinfo->pr_ppid, curpsinfo->pr_uid,
	    curpsinfo->pr_gid, 19 - curlwpsinfo->pr_pri);
	printf("C %d %d %d %s\n", curthread->pid, curthread->real_parent->tgid == curpsinfo->pr_ppid,
	    curthread->signal->nr_threads, execname);
}'

# compare NAME: $out has lines IDS of the program and lines D and P of the script.
compare() {
	seen=$(printf '%s\n' "$out" | sed -n 's/^D //p' | sort)
	want=$(printf '%s\n' "$out" | sed -n 's/^IDS //p' | sort)
	is "$(printf '%s\n' "$want" | wc -l)" 2 "$1: two threads"
	is "$seen" "$want" "$1: tid, pid, ppid, pgid, sid, uid, gid, nice"
	is "$(printf '%s\n' "$out" | sed -n 's/^P //p' | sort)" \
		"$(printf '%s\n' "$want" | awk '{ print $1, $2, $3, $6, $7, $8 }')" "$1: curpsinfo, curlwpsinfo"
}

run "$DTR" -q -n "$script" -c "$ids calls"
compare 'initial name space'
! if_can 'members of curthread are IDs of the initial name space' initial_pids ||
	is "$(printf '%s\n' "$out" | sed -n 's/^C [0-9]* //p' | sort)" "$(printf '1 1 ids\n1 2 ids')" \
		'members of curthread'

# each one alone, in the smallest program
n=0
for e in tid pid ppid 'curpsinfo->pr_pgid' 'curpsinfo->pr_sid' uid gid 'curlwpsinfo->pr_nice'; do
	n=$((n + 1))
	run "$DTR" -q -n "syscall::getpgid:entry /(int)arg0 == 424242/ { @[$e] = count(); @n = sum($e); }" \
		-c "$ids calls"
	values=$(printf '%s\n' "$out" | sed -n 's/^IDS //p' | cut -d' ' -f$n)
	is "$(printf '%s\n' "$out" | awk '!/IDS/ && NF == 2 { print $1, $2 }' | sort -n)" \
		"$(printf '%s\n' "$values" | sort -n | uniq -c | awk '{ print $2, $1 }')" "$e alone, as a key"
	is "$(printf '%s\n' "$out" | awk '!/IDS/ && NF == 1 { print $1 }')" \
		"$(printf '%s\n' "$values" | awk '{ s += $1 } END { print s }')" "$e alone, as a value"
done

# more uses than are loaded directly, in clauses that do not all run
many=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo "syscall::getpgid:entry /(int)arg0 == 424242 && tid > $i/ {
		printf(\"M %d %d %d %d\\n\", ppid, uid, curpsinfo->pr_pgid, curpsinfo->pr_egid); }"
done)
run "$DTR" -q -n "$many" -c "$ids calls"
is "$(printf '%s\n' "$out" | sed -n 's/^M //p' | sort | uniq -c | awk '{ print $1, $2, $3, $4, $5 }')" \
	"$(printf '%s\n' "$out" | awk '/^IDS/ { print 24, $4, $7, $5, $8; exit }')" 'in many clauses'

if unshare -pf --mount-proc true 2>/dev/null; then
	run unshare -pf --mount-proc "$DTR" -q -n "$script" -c "$ids calls"
	compare 'own name space'
	# processes outside of it all have the ID 0
	run sh -c '(while :; do "$1" split 20 0; done) >/dev/null & busy=$!
		unshare -pf --mount-proc "$2" -qn "profile-997 /!pid/ { @[ustack(1)] = count(); } tick-2s { exit(0); }"
		status=$?; kill $busy; exit $status' - "$here/tests/kernel/busy" "$DTR"
	is "$status" 0 'own name space: stacks'
	unlike "$status:$(cat "$work/err")" 'hint: ' 'own name space: no hint about that code'
	unlike "$out" '`.*busy|busy`' 'own name space: code of processes outside of it has no names'
	# the program's name space is below dtr's: it has other IDs there, but /proc is that of dtr's
	run unshare -pf --mount-proc "$DTR" -q -n "$script" -c "unshare -pf $ids proc"
	compare 'name space below'
	run "$DTR" -q -n "$script" -c "unshare -pf $ids proc"
	compare 'name space below the initial one'
	# deep nesting
	one='unshare -pf --mount-proc'
	six="$one $one $one $one $one $one"
	if $six true 2>/dev/null; then
		run $six "$DTR" -q -n "$script" -c "$ids calls"
		compare 'the sixth name space'
		run $six "$DTR" -q -n "$script" -c "unshare -pf $ids proc"
		compare 'name space below the sixth'
		run $six "$DTR" -qn 'BEGIN { printf("%d %d\n", progenyof(1), progenyof($pid)); exit(0); }'
		is "$out" '1 1' 'the sixth name space: progenyof()'
	else
		skip 'deep nesting' 'no PID name spaces of that depth'
	fi
	run unshare -pf --mount-proc "$DTR" -q -n 'sched:::off-cpu { @[pid] = count(); }' -c 'sleep 1'
	is "$(printf '%s\n' "$out" | awk '$1 > 100' | wc -l)" 0 'threads outside the name space have no ID of their own'
else
	skip 'IDs in PID name spaces' 'no PID name spaces'
fi

# ---- threads of the kernel ----
if_can 'threads of the kernel' initial_pids || done_testing
run "$DTR" -q -n 'sched:::off-cpu /curthread->flags & 0x00200000 && pid > 2/ { @[ppid] = count(); n++; }
	sched:::off-cpu /n > 20/ { exit(0); }'
is "$(printf '%s\n' "$out" | awk 'NF { print $1 }')" 2 'the parent of a thread of the kernel is kthreadd'
run "$DTR" -q -n 'sched:::off-cpu /curthread->mm == 0 && !done/ { done = 1; trace(curthread->mm->start_stack); }
	ERROR { printf("%d %d\n", arg4, arg5 == offsetof(struct mm_struct, start_stack)); exit(0); }'
is "$(printf '%s\n' "$out" | grep . | sort -u)" '1 1' 'a pointer of 0 is a fault, with its address'
run "$DTR" -q -n 'sched:::off-cpu /curthread->mm == 0/ { @[curthread->mm->start_stack] = count(); }
	ERROR { printf("%d\n", arg4); exit(0); }'
is "$(printf '%s\n' "$out" | grep . | sort -u)" 1 'and no row is made with it'

done_testing
