# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sampling by ptrace(2), as an ordinary user without perf events: counts against the run time that programs report,
# complete stacks, programs whose system calls, signals and stops are not disturbed, and targets that run on.
. "$SRC/tests/lib/tap.sh"
busy=$here/tests/kernel/busy
as=$here/tests/kernel/as_user
"$as" test -x "$DTR" || { echo '1..0 # SKIP another user cannot read the build'; exit 0; }
value() { printf '%s\n' "$out" | awk -v w="$1" '$1 == w { print $2; exit }'; }
dtr() { run "$as" noperf "$DTR" -x engine=user -x nolibs "$@"; }

dtr -n 'profile-97 { exit(0); }' -c "$busy split 300 0"
case $err in *'ptrace(2) is not permitted'*) echo '1..0 # SKIP ptrace(2) is not permitted'; exit 0 ;; esac
like "$err" 'samples of the target.s threads, which ptrace\(2\) stops.*\(no perf events: ' \
	'the source and the reason are named'

# The clock of the kernel and that of a program are some ticks apart; the start of a program is time, too.
dtr -x ledger -qn 'profile-997 { @["all"] = count(); @[arg0 ? "kernel" : arg1 ? "user" : "unknown"] = count(); }' \
	-c "$busy split 800 400"
between "$(value all)" "$(awk "BEGIN { print $(value ran) * 0.92 - 6 }")" \
	"$(awk "BEGIN { print $(value ran) * 1.08 + 30 }")" 'one firing for each interval of run time'
is "$(value kernel)" '' 'no address in the kernel'
between "$(value user)" 200 100000 'addresses of the program'
for what in 'processes 100 4000' 'threads 50 4000'; do
	dtr -qn 'profile-997 { @["all"] = count(); }' -c "$busy $what"
	# each has a firing more or less than its time; the kernel adds the time of their creation and end
	between "$(value all)" "$(awk "BEGIN { print $(value own) * 0.9 - 40 }")" \
		"$(awk "BEGIN { print $(value ran) * 1.1 + 40 }")" "$what us: all of their run time"
done

if [ "$(uname -m)" = x86_64 ]; then
	dtr -O folded -qn 'profile-997 { @[ustack()] = count(); }' -c "$here/tests/symbols/unwound signal 300"
	chains=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g' | grep -E '(^|;)spin[; ]')
	like "$chains" 'main;outer;middle;inner;by_signal;.*;handler;spin' 'a stack without frame pointers'
	is "$(printf '%s\n' "$chains" | grep -vc 'main;outer;middle;inner;by_signal;.*;handler;spin')" 0 \
		'every stack is complete'
	dtr -x unwind=fp -qn 'profile-997 { @["frames", ustackdepth > 0] = count(); }' -c "$busy split 200 0"
	like "$out" 'frames +1 ' 'frame pointers'
	dtr -qn 'profile-997 /arg1/ { @["at", uregs[R_PC] == arg1] = count(); }' -c "$busy split 300 0"
	like "$out" 'at +1 ' 'R_PC is arg1'
	unlike "$out" 'at +0 ' 'R_PC is always arg1'
fi

# A command is traced from its first instruction, also if it changes its user at once.
traced=
for i in 1 2 3 4 5 6 7 8 9 10; do
	dtr -qn 'profile-97 { @ = count(); }' -c "grep TracerPid: /proc/self/status"
	traced="$traced$(printf '%s\n' "$out" | awk '$1 == "TracerPid:" { print ($2 > 0) }')"
done
is "$traced" 1111111111 'a command is traced from the beginning'
dtr -qn 'BEGIN { exit(7); }' -c 'sleep 60'
is "$status" 7 'a session that BEGIN ends'
if [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ]; then
	run "$as" root noperf setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace \
		"$DTR" -x engine=user -x nolibs -O folded -qn 'profile-997 { @[ustack(3)] = count(); }' \
		-c "setpriv --reuid $(($$ % 40000 + 20000)) --clear-groups $busy split 300 0"
	is "$(printf '%s\n' "$out" | grep -c 'busy`main;busy`busy_user ')" 1 'stacks of a command that changes its user'
fi

# Privileges of files: a command has them, and is therefore not traced; a program that it executes does not.
cp "$busy" "$work/privileged"
chmod 755 "$work"
if [ "$(id -u)" = 0 ] && chmod 4755 "$work/privileged"; then
	dtr -x needpc -qn 'profile-97 { @ = count(); }' -c "$work/privileged split 20 0"
	like "$status:$err" '^1:.*the command has privileges of its file' 'a set-user-ID command is refused'
	dtr -qn 'profile-97 { @ = count(); }' -c "$work/privileged split 20 0"
	like "$status:$err" '^0:.*warning: no program counters.*privileges of its file' \
		'without program counters it is sampled'
	dtr -qn 'profile-97 { @ = count(); }' -c "sh -c '$work/privileged split 20 0; :'"
	like "$status:$err" '^0:.*1 program ran without the privileges of its file' \
		'one that the command executes is reported'
fi

# Threads that compute for a moment and then sleep in system calls that a stop can end with EINTR.
dtr -qn 'profile-4999 { @["all"] = count(); }' -c "$here/tests/kernel/sleeper 2000"
between "$(value all)" 500 1000000 'threads that sleep most of the time have samples'
is "$(printf '%s\n' "$out" | awk '$2 == "slept" { n++; slept += $3 < 20; interrupted += $5 }
	$1 == "calls" { calls = $2 } END { print calls - n, slept + 0, interrupted + 0 }')" '0 0 0' \
	'no system call returns EINTR'

# Threads that execute programs while others compute: the process goes on, and its time counts once.
dtr -x ledger -qn 'profile-997 { @["all"] = count(); }' -c "$here/tests/kernel/renamed 100"
between "$(value all)" "$(awk "BEGIN { print $(value ran) * 0.8 - 60 }")" \
	"$(awk "BEGIN { print $(value ran) * 1.2 + 60 }")" 'execs of other threads than the first'

# A process that runs already: it is stopped and continued by signals, and goes on when dtr ends or is killed.
state() {
	awk '$1 == "State:" { print $2 } $1 == "TracerPid:" { print ($2 != 0) }' "/proc/$target/status" | tr '\n' ' '
}
is_state() { [ "$(state)" = "$1 " ]; }
begun() { grep -q there "$work/first"; }
follow() { # OPTION...: dtr in the background, which has begun
	"$as" noperf "$DTR" -x engine=user -x nolibs "$@" >"$work/first" 2>&1 &
	first=$!
	children="$children $first"
	wait_until begun
}
"$as" "$busy" split 600000 0 >/dev/null &
target=$!
children="$children $target"
of_user() { [ "$(cat "/proc/$target/comm" 2>/dev/null)" = busy ]; }
wait_until of_user
follow -n 'BEGIN { printf("there\n"); } profile-97 { @ = count(); }' -p $target
wait_until is_state 'R 1'
is "$(state)" 'R 1 ' '-p: the process is traced'
dtr -x needpc -qn 'profile-97 { exit(0); }' -p $target
like "$status:$err" "^1:.*process $target is traced by process $first" '-p: a process that is traced already'
kill -STOP $target
wait_until is_state 't 1'
is "$(state)" 't 1 ' 'a stop signal stops it'
kill -CONT $target
wait_until is_state 'R 1'
is "$(state)" 'R 1 ' 'and it can be continued'
kill -INT $first
wait $first
is $? 0 'the session ends'
is "$(state)" 'R 0 ' '-p: the process goes on when dtr ends'
follow -n 'BEGIN { printf("there\n"); } profile-97 { @ = count(); }' -p $target
wait_until is_state 'R 1'
kill -KILL $first
wait $first 2>/dev/null
wait_until is_state 'R 0'
is "$(state)" 'R 0 ' '-p: the process goes on when dtr is killed'
kill $target
wait $target 2>/dev/null

# If dtr is killed, its command ends, but not what that has started; no signal is lost that a thread was about to get.
mkdir -m 777 "$work/child.d"
"$as" noperf "$DTR" -x engine=user -x nolibs -qn 'profile-997 { @ = count(); }' \
	-c "sh -c '$busy split 600000 0 & echo \$! >$work/child.d/pid; wait'" >"$work/first" 2>&1 &
first=$!
children="$children $first"
started() { target=$(cat "$work/child.d/pid" 2>/dev/null) && [ "$target" ] && is_state 'R 1'; }
wait_until started
command=$(awk '$1 == "PPid:" { print $2 }' "/proc/$target/status")
children="$children $target"
kill -KILL $first
wait $first 2>/dev/null
gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.*zombie' "/proc/$1/status"; }
command_gone() { gone "$command"; }
wait_until command_gone
ok "$(gone "$command"; echo $?)" '-c: the command ends when dtr is killed'
wait_until is_state 'R 0'
is "$(state)" 'R 0 ' '-c: what it has started goes on'
kill $target
"$as" "$here/tests/kernel/signals" "$work/child.d/end" >"$work/signals" &
target=$!
children="$children $target"
of_user() { [ "$(cat "/proc/$target/comm" 2>/dev/null)" = signals ]; }
wait_until of_user
traced() { [ "$(awk '$1 == "TracerPid:" { print $2 }' "/proc/$target/status")" != 0 ]; }
untraced() { ! traced; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	follow -n 'BEGIN { printf("there\n"); } profile-997 { @ = count(); }' -p $target
	wait_until traced
	kill -KILL $first
	wait $first 2>/dev/null
	wait_until untraced
done
: >"$work/child.d/end"
wait $target
like "$(cat "$work/signals")" '^sent [0-9]+ lost 0$' 'dtr is killed while the target gets signals'

# A process executes a program while its threads are being traced for the first time.
"$as" "$here/tests/kernel/renamed" 20000 40 >"$work/renamed" &
target=$!
children="$children $target"
of_user() { [ "$(cat "/proc/$target/comm" 2>/dev/null)" = exe ]; }
wait_until of_user
ended=
for i in 1 2 3 4 5 6; do
	dtr -qn 'profile-997 { @ = count(); } tick-50ms { exit(0); }' -p $target
	ended="$ended$status"
done
is "$ended" 000000 '-p: execs of other threads while all are being traced'
kill -KILL $target
wait $target 2>/dev/null

# The table of dtr top, and the stacks of an expanded row, are of one session.
cat >"$work/top.py" <<'END'
import os, sys
sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "lib"))
import screen
t = screen.Terminal(sys.argv[1:], rows=40, cols=120)
print(bool(t.wait_text("^ .* busy$")))
t.send("\r")
print(bool(t.wait_text("busy`busy_user")))
t.send("q")
print(t.end())
t.close()
END
run python3 "$work/top.py" "$as" noperf nobpf "$DTR" top -x engine=user -x nolibs -c "$busy split 600000 0"
is "$(echo $out)" 'True True 0' 'dtr top -c'

# Exit statuses, and signals that end the command.
dtr -qn 'profile-97 { @ = count(); }' -c 'sh -c "kill -TERM \$\$"'
like "$status" '^0$' 'a command that a signal ends'
if [ "$(id -u)" = 0 ]; then
	sleep 60 &
	children="$children $!"
	dtr -x needpc -qn 'profile-97 { exit(0); }' -p $!
	like "$status:$err" "^1:.*process $! may not be traced: " 'a process of another user'
fi
done_testing
