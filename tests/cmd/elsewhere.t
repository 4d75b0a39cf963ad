#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Members of other systems' kernel structures, compared with /proc, ps and the members that curpsinfo has.
. "$SRC/tests/lib/tap.sh"
need_kernel

# value FORMAT EXPRESSION: the expression in a process whose name, directory and parent are known
value()
{
	run "$DTR" -q -n "syscall::getpriority:entry /pid == \$target/ { printf(\"$1\\n\", $2); exit(0); }" -c "$job"
}

job="nice -n 3 true"

# same FORMAT EXPRESSION OTHER: both have the same value at the same time
same()
{
	run "$DTR" -q -n "syscall::getpriority:entry /pid == \$target/ {
		printf(\"$1\\n\", $2); printf(\"$1\\n\", $3); exit(0); }" -c "$job"
	is "$status:$(printf '%s\n' "$out" | sed -n 1p)" "0:$(printf '%s\n' "$out" | sed -n 2p)" "$2 is $3"
}

ps=curpsinfo lwp=curlwpsinfo t='curthread->t_procp'
same %d "$t->p_pidp->pid_id" pid
same %d "curproc->p_pidp->pid_id" pid
same %d "((proc_t *)curthread)->p_pid" pid
same %d "$t->p_ppid" ppid
same %d "$t->p_parent->p_pidp->pid_id" ppid
same %d "$t->p_pgidp->pid_id" "$ps->pr_pgid"
same %d "$t->p_sessp->s_sid" "$ps->pr_sid"
same %s "$t->p_user.u_comm" execname
same %s "$t->p_user.u_psargs" "$ps->pr_psargs"
same %d "$t->p_lwpcnt" "$ps->pr_nlwp"
same %d "$t->p_cred->cr_ruid" uid
same %d "$t->p_cred->cr_uid" "$ps->pr_euid"
same %d "curthread->t_cred->cr_rgid" gid
same %d "$t->p_stat" SONPROC
same %s "$t->p_zone->zone_name" zonename
same %s "stringof($t->p_exec->v_path)" "d_path(&curthread->mm->exe_file->f_path)"
same %s "$t->p_user.u_finfo.fi_list[1].uf_file->f_vnode->v_path" 'fds[1].fi_pathname'
same %d 'curthread->t_tid' tid
same %d 'curthread->t_pri' "$lwp->pr_pri"
same %d 'curthread->t_state' TS_ONPROC
same %s 'curthread->t_name' execname
same %d 'curthread->t_start' "$ps->pr_start.tv_sec"
same %d 'curthread->t_cpu->cpu_id' cpu
same %d 'curthread->t_lwp->lwp_procp->p_pid' pid
same %d 'curthread->td_proc->p_pid' pid
same %s 'curthread->td_proc->p_comm' execname
same %s 'curthread->td_name' execname
value '%d %d' "$t->p_brksize, $t->p_stksize"
like "$out" '^[0-9]+ [1-9][0-9]+$' 'sizes of the heap and the stack'

# ---- variables, sums over threads ----
run "$DTR" -q -n 'syscall::getpriority:entry /pid == $target/ { self->p = curthread->t_procp;
	this->u = &self->p->p_user; x = curthread->t_procp->p_parent;
	printf("%d %s %d\n", self->p->p_pidp->pid_id == pid, this->u->u_comm,
	x->p_pidp->pid_id == ppid); exit(0); }' -c "$job"
is "$status:$out" '0:1 nice 1' 'pointers to these structures in variables'
run "$DTR" -q -n 'profile-997 /curthread->t_pri == -1 != (pid == 0)/ { @bad = count(); }
	profile-997 /(curthread->t_cpu->cpu_idle_thread == curthread) != (pid == 0)/ { @bad = count(); }
	tick-300ms { exit(0); } END { printa("bad %@d\n", @bad); }'
is "$status:$out" 0: 'the priority of idle threads is -1'
run "$DTR" -q -n 'profile-97 { @ = max(curthread->t_cpu->cpu_disp->disp_nrunnable); }
	tick-500ms { exit(0); } END { printa("%@d\n", @); }' -c "sh -c 'for i in 1 2 3 4 5 6 7 8; do
	timeout 0.5 sh -c \"while :; do :; done\" & done; wait'"
is "$status:$([ "$out" -ge 2 ] && [ "$out" -lt 1000 ] && echo yes)" 0:yes 'eight busy processes wait for CPUs'

# ---- notes, errors, scripts that use none ----
run "$DTR" -v -e -n 'BEGIN { trace(curthread->t_pri); trace(curthread->t_pri); }'
is "$status:$(printf '%s\n' "$err" | grep -c 'note: line 1: t_pri is a member of Solaris')" 0:1 'a note with -v, once'
run "$DTR" -e -n 'BEGIN { trace(curthread->t_pri); }'
is "$status:$err" 0: 'and none without'
run "$DTR" -e -n 'BEGIN { trace(curthread->t_onfault); }'
like "$status:$err" '^1:.*t_onfault is not a member of struct task_struct: Solaris has it, and Linux has no' \
	'a member without an equivalent'
run "$DTR" -e -n 'BEGIN { trace(curthread->t_prj); }'
unlike "$status:$err" '^0|Solaris' 'an unknown member'
run "$DTR" -e -n 'BEGIN { trace(curproc->p_nosuch); }'
like "$status:$err" '^1:.*struct proc' 'an unknown member of a structure that Linux lacks'
run "$DTR" -e -n 'struct proc { int p_pid; }; BEGIN { trace(((struct proc *)0)->p_pid); }'
is "$status:$err" 0: 'a structure of the script'
run "$DTR" -q -n 'BEGIN { curproc = 3; printf("%d\n", curproc); exit(0); }'
is "$status:$out" 0:3 'a variable of the script'
done_testing
