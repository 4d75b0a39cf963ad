# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How a session begins: all probes are enabled at the same time, after BEGIN.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
need_ptrace
as=$here/tests/kernel/as_user

if with_bpf 'system calls' && if_can 'the first events' types; then	# proc:::, sdt:::
	# One thread makes system calls in a loop. Their returns are attached first, their entries after many other
	# probes. Both must be enabled and disabled at the same time, so at most one entry and one return are missing.
	"$here/tests/kernel/threads" calls &
	calls=$!
	children="$children $calls"
	cat >"$work/pairs.d" <<'END'
BEGIN { began = 1; }
syscall::getpgid:return /pid == $1/ { @r = count(); }
syscall::getpgid:return /pid == $1 && !began/ { @early = count(); }
sdt:::sched_*, sdt:::signal_*, sdt:::timer_*, sdt:::hrtimer_*, sdt:::irq_* /pid == $1 && !began/ { @early = count(); }
syscall::getpgid:entry /pid == $1/ { @e = count(); }
syscall::getpgid:entry /pid == $1 && ++n > 1000/ { exit(0); }
END { printa("%@d ", @r); printa("%@d ", @e); printa("%@d", @early); }
END
	wrong=
	for i in 1 2 3 4 5; do
		run "$DTR" -q -x ledger=off -s "$work/pairs.d" $calls
		set -- $out
		[ "$status" = 0 ] && [ "${1:-0}" -ge 1000 ] && [ $(($1 - $2)) -ge -1 ] && [ $(($1 - $2)) -le 1 ] &&
			[ "${3:-0}" = 0 ] ||
			wrong="$wrong [$status: $out $err]"
	done
	is "$wrong" '' 'all probes are enabled at the same time, after BEGIN'
	stop $calls

	# The probes do not see dtr's child before it executes the command, nor that exec. A return without an entry
	# would belong to a system call from before.
	cat >"$work/first.d" <<'END'
syscall:::entry, proc::: /pid == $target && execname != "true"/ {
	printf("%s:%s by %s\n", probefunc, probename, execname); }
syscall:::entry /pid == $target/ { self->in = 1; @["calls"] = count(); }
syscall:::return /pid == $target && !self->in/ { printf("%s returns\n", probefunc); }
syscall::execve:, proc:::exec, proc:::exec-success, proc:::start /pid == $target/ {
	printf("%s:%s\n", probefunc, probename); }
END
	for where in "" /nowhere:/nowhere/else:/still/not/there:; do
		run env PATH="$where$PATH" "$DTR" -q -x ledger=off -s "$work/first.d" -c true
		like "$status:$(echo $out)" '^0:calls [1-9][0-9]+$' \
			"the first event of a command is its own first system call (PATH=$where...)"
	done
	run "$DTR" -q -x ledger=off -n 'proc:::exec-success /pid == $target/ { printf("%s ", execname); }' -c \
		"sh -c 'exec true'"
	is "$out" 'true ' 'an exec by the command itself is seen'
fi

# If the command cannot be executed, the error names it, and no clause runs.
printf '#!/nowhere/at/all\n' >"$work/lost"
printf 'exit 5\n' >"$work/script"
printf '' >"$work/plain"
chmod 755 "$work/lost" "$work/script"
failing() { # COMMAND MESSAGE
	run env PATH=/usr/bin:/bin "$DTR" -qn 'BEGIN { trace("begun"); }' -c "$1"
	is "$status:$out:$err" "1::dtr: failed to execute ${1%% *}: $2" "-c '${1##*/}'"
}
failing 'no-such-command with arguments' 'No such file or directory'
failing "$work/none" 'No such file or directory'
failing "$work/plain" 'Permission denied'
failing "$work" 'Permission denied'
failing "$work/lost 1 2" 'its interpreter does not exist'
head -c 3000 "$(command -v gzip)" >"$work/short"
chmod 755 "$work/short"
run "$DTR" -qn 'BEGIN { trace("begun"); }' -c "$work/short"
like "$status:$out:$err" '^1::dtr: failed to execute .*/short: killed by signal [0-9]+ \(' 'an incomplete program'
run "$DTR" -n 'BEGIN' -c "$work/script"
is "$status:$(echo "$err" | grep -c 'exited with status 5')" 0:1 'the shell runs a script without a #! line'

# A set-user-ID program has its privileges even if dtr has none.
cp "$(command -v id)" "$work/id" && chmod 4755 "$work/id" && chmod 755 "$work"
if [ "$(id -u)" = 0 ] && [ "$("$as" "$work/id" -u)" = 0 ]; then
	run "$as" "$DTR" -x engine=user -x ledger=off -qn 'BEGIN' -c "$work/id -u"
	is "$status:$out" 0:0 'a set-user-ID program keeps its privileges'
	cp "$here/tests/kernel/busy" "$work/busy" && chmod 4755 "$work/busy"
	if "$as" "$here/tests/kernel/can_bpf" perf >/dev/null; then
		for how in '' 'sh -c'; do
			command="$work/busy split 50 0"
			[ -z "$how" ] || command="$how '$command; :'"
			run "$as" "$DTR" -x engine=user -x ledger=off -qn 'profile-97 { @ = count(); }' -c "$command"
			like "$status:$err" '^0:.*warning: 1 program was not sampled: executed with privileges' \
				"... and that it is not sampled is reported: ${how:-alone}"
		done
	fi
else
	echo '# not root, or no set-user-ID programs on this file system'
fi

done_testing
