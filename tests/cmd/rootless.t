# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The rootless engine as an unprivileged user, with and without perf events. Its counts are checked against the run time
# that the programs report, and against the kernel engine where that can run.
. "$SRC/tests/lib/tap.sh"
busy=$here/tests/kernel/busy
as=$here/tests/kernel/as_user
"$as" test -x "$DTR" || { echo '1..0 # SKIP another user cannot read the build'; exit 0; }
lib="-x syslibdir=$SRC/share"
"$as" test -r "$SRC/share/prelude.d" || lib='-x nolibs'

# The process can be traced only after it has changed its user and executed the program.
until_busy() { until [ "$(cat "/proc/$1/comm" 2>/dev/null)" = busy ] || ! kill -0 "$1"; do sleep 0.05; done; }
# value WORD: the second field of the first line of $out that begins with WORD
value() { printf '%s\n' "$out" | awk -v w="$1" '$1 == w { print $2; exit }'; }
# busy_run COMMAND...: like run. Sets $took to the stolen time in ms, which the kernel knows: it passes on the clock but
# is not in the run time of threads. Sets $held to the stolen time that only the program noticed.
stolen() { awk '$1 == "cpu" { print $9 * 10 }' /proc/stat; }
busy_run() {
	before=$(stolen)
	run "$@"
	took=$(($(stolen) - before))
	held=$(value held)
	held=${held:-0}
}
# VALUE PERCENT EXPECTED NAME [LESS MORE]: checks that VALUE differs from EXPECTED by at most PERCENT; firings of LESS
# ms at 997 Hz may be missing in addition, and firings of MORE ms may be added
within() { within_both "$1" "$2" "$3" "$3" "$4" "${5:-0}" "${6:-0}"; }
# VALUE PERCENT LEAST MOST NAME LESS MORE: the same if the expected value is between LEAST and MOST
within_both() {
	between "$1" "$(awk "BEGIN { print $3 * (1 - $2 / 100) - 6 - $6 }")" \
		"$(awk "BEGIN { print $4 * (1 + $2 / 100) + 6 + $7 }")" "$5"
}
# The same for a program that starts threads and processes: at least their run time by their own clocks, at most that
# plus what the kernel adds for their creation and exit, which depends on the processor.
within_own() { # PERCENT PROGRAM-OUTPUT NAME MORE
	within_both "$(value all)" "$1" "$(awk '$1 == "own" { print $2 * 0.997 }' "$2")" "$(awk '$1 == "ran" {
		print $2 * 0.997 }' "$2")" "$3" 0 "$4"
}
# COMMAND...: runs a dtr in the background that prints "there" when it traces; its output goes to $work/first
first_there() {
	"$@" >"$work/first" 2>&1 &
	first=$!
	children="$children $first"
	until grep -q there "$work/first" 2>/dev/null || ! kill -0 $first; do sleep 0.1; done
}

perf=yes
run "$as" "$DTR" -qn 'profile-997 { exit(0); }' -c "$busy split 100 0"
case $err in *'no program counters'*) perf=no ;; esac
with_perf() { # NAME: are perf events available? If not, skips the test
	[ $perf = no ] || return 0
	skip "$1" 'no perf events'
	return 1
}

run "$as" "$DTR" -n 'BEGIN { printf("uid %d pid %d\n", uid, pid == tid); exit(3); }'
is "$status" 3 'BEGIN and exit() as an ordinary user'
like "$out" 'uid [1-9][0-9]* pid 1' 'uid and pid in BEGIN'
like "$err" 'the script runs in this process' 'a message names the engine'
run "$as" "$DTR" -qn 'BEGIN { exit(0); }'
is "$err" '' 'no message names the engine with -q'

run "$as" "$DTR" -qn 'sched:::on-cpu { exit(0); }'
is "$status" 1 'a probe that needs BPF is refused'
like "$err" 'without BPF only BEGIN.*run as root, or with CAP_BPF and CAP_PERFMON' \
	'the error gives the reason and a remedy'
run "$as" "$DTR" -qn 'io:::start { exit(0); }'
is "$(printf '%s\n' "$err" | grep -c 'io:vmlinux::start')" 1 'a probe that fires at several places is named once'
run "$as" "$DTR" -x engine=bpf -qn 'BEGIN { exit(0); }'
is "$status" 1 'engine=bpf does not fall back to the rootless engine'
like "$err" 'no privilege to use BPF' 'engine=bpf: the error gives the reason'

# Firings in user code and in the kernel. The tolerance is 6 %: timers are exact, the clock of the program almost.
SPLIT='profile-997 { @[arg0 ? "kernel" : arg1 ? "user" : "nowhere"] = count(); @["all"] = count(); }'
# (Stolen time looks like time in the kernel: the thread runs, and no timer expires.)
busy_run "$as" "$DTR" -qn "$SPLIT" -c "$busy split 800 400"
ran=$(value ran)
within "$(value all)" 6 "$(awk "BEGIN { print $ran * 0.997 }")" 'one firing per interval of run time' 0 \
	$took
if with_perf 'where a target has run'; then
	within "$(value user)" 8 798 'firings in user code' "$held" 0
	within "$(value kernel)" 25 399 'firings in the kernel, without kernel addresses' 0 $((took + held))
fi

busy_run "$as" noperf notrace "$DTR" -n "$SPLIT" -c "$busy split 800 400"
ran=$(value ran)
within "$(value all)" 8 "$(awk "BEGIN { print $ran * 0.997 }")" 'without perf events: the number of firings' 0 $took
same "$(value nowhere)" "$(value all)" 'without perf events: no program counters'
like "$err" 'warning: no program counters' 'without perf events: a warning says so'
like "$err" 'the /proc data of' 'without perf events: the source is named'
run "$as" noperf notrace "$DTR" -x needpc -qn 'profile-997 { exit(0); }'
like "$status:$err" '^1:dtr: samples have neither program counters nor stacks: ' 'needpc: that is an error'

# A picture, recording or report that cannot show code says so in its title, on standard error and by its status.
lack='without program counters and stacks'
last() { printf '%s:%s\n' "$status" "$(printf '%s\n' "$err" | tail -n 1)"; }
for format in html folded speedscope pprof; do
	run "$as" noperf notrace "$DTR" -x nolibs -q -O $format -n 'profile-997 { @[execname, ustack()] = count(); }' \
		-c "$busy split 100 0"
	[ $format = pprof ] || is "$(printf '%s\n' "$out" | grep -c "[\"\[]$lack")" 1 \
		"$format: the title says that there is no code"
	is "$(last)" "1:dtr: error: the picture is $lack" "$format: and so do a message and the status"
	run "$as" noperf notrace "$DTR" -x nolibs -q -O $format -n 'profile-997 { @[execname] = count(); }' \
		-c "$busy split 100 0"
	is "$status" 0 "$format: a picture that needs no code"
done
status=0
"$as" noperf notrace "$DTR" record -x nolibs -qo - -c "$busy split 100 0" >"$work/blind.rec" 2>/dev/null || status=$?
is $status 0 'a recording'
"$as" noperf notrace "$DTR" record -x nolibs -gqo - -c "$busy split 100 0" >"$work/blind.rec" 2>"$work/err" || status=$?
err=$(grep -v '^ran\|^held' "$work/err")
is "$(last)" "1:dtr: error: the recording is $lack" 'a recording that should have stacks'
run "$DTR" report "$work/blind.rec"
like "$out" "^Recording .*, $lack\$" 'a report says so in its first line'
is "$(last)" "1:dtr: error: the report is $lack" 'and so do a message and the status'
run "$DTR" report -O html "$work/blind.rec"
is "$(printf '%s\n' "$out" | grep -c "\"lack\":\"$lack\"")" 1 'a report as a page'
is "$(last)" "1:dtr: error: the picture is $lack" 'a message and the status'

# Every thread and process is counted, however short-lived. The tolerance is 15 %: each may have one firing too many or
# too few at its start and its end. Where other processes take the CPU away, a thread may continue on another one, where
# its interval begins anew: then it is measured again, and at last the tolerance is 25 %.
for what in 'processes 600 700' 'threads 150 700' 'processes 100 4000' 'threads 50 4000'; do
	with_perf "$what us: all of their run time" || continue
	for percent in 15 15 15 15 25; do
		busy_run "$as" "$DTR" -qn 'profile-997 { @["all"] = count(); }' -c "$busy $what"
		! (within_own "$percent" "$work/out" '' "$took") | grep -q '^ok' || break
	done
	within_own "$percent" "$work/out" "$what us: all of their run time" "$took"
done

# A process that runs already (it waits for the signal `go`): threads and processes that it starts later are found.
if with_perf '-p: threads created later'; then
	mkfifo "$work/go"
	"$as" "$busy" wait threads 100 3000 >"$work/ran" <"$work/go" &
	target=$!
	exec 9>"$work/go"
	children="$children $target"
	until_busy "$target"
	before=$(stolen)
	first_there "$as" "$DTR" -qn 'BEGIN { printf("there\n"); } profile-997 { @["all"] = count(); }
		profile-997 /pid != $target/ { @o["other", pid, tid, execname, arg0 != 0] = count(); }' -p "$target"
	echo >&9
	exec 9>&-
	wait $first
	out=$(cat "$work/first")
	within_own 15 "$work/ran" '-p: threads created later' $(($(stolen) - before))
	is "$(printf '%s\n' "$out" | grep other)" '' '-p: no other process is sampled'
fi

# Two sessions of one user, of which the second can lock only little memory: its buffers are accordingly small and
# contain its own samples.
cpus=$(nproc)
if with_perf 'a second session with little memory to lock' && command -v prlimit >/dev/null; then
	first_there "$as" "$DTR" -x engine=user -n 'BEGIN { printf("there\n"); } profile-97 { @ = count(); }' -p $$
	busy_run "$as" prlimit --memlock=$((cpus * 32768)) "$DTR" -x engine=user -x ledger=off -qn "$SPLIT" -c \
		"$busy split 900 0"
	# there is room for the samples of half a second
	drops=$(printf '%s\n' "$err" | awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }')
	is "$(printf '%s\n' "$err" | grep -v ' drops* on CPU')" '' 'a second session with little memory to lock'
	within "$(($(value user) + drops))" 8 898 "every sample arrives or is reported as a drop ($drops)" "$held" 0
	run "$as" prlimit --memlock=0 "$DTR" -x engine=user -n "$SPLIT" -c "$busy split 100 0"
	[ "$(id -u)" != 0 ] || like "$err" 'ptrace\(2\) stops.*no perf events: .*the locked-memory limit is too low' \
		'no locked memory at all: another source, and why'
	kill -INT $first
	wait $first
fi

# Threads that cannot be sampled are reported.
if with_perf 'what cannot be sampled'; then
	if [ "$(id -u)" = 0 ]; then
		sleep 60 &
		children="$children $!"
		run "$as" "$DTR" -qn 'profile-997 { exit(0); }' -p $!
		like "$err" 'belongs to another user' 'a process of another user is reported'
	fi
	# threads that were not created by a thread that dtr follows; processes of earlier cases may still be ending
	if [ "$(id -u)" = 0 ]; then
		user=$("$as" id -u)
		none_left() { ! pgrep -U "$user" >/dev/null; }
		wait_until none_left
		first_there "$as" sh -c "ulimit -n $((20 + 12 * cpus)); exec \"\$@\"" sh \
			"$DTR" -x engine=user -qn 'BEGIN { printf("there\n"); } tick-100ms { printf("tick\n"); }
			profile-997 { }'
		for i in 1 2 3 4 5 6 7 8; do
			"$as" sleep 1000 &
			children="$children $!"
		done
		# dtr looks for new threads while it runs; a tick that is more than a second late is skipped
		already=$(grep -c tick "$work/first")
		ticked() { [ "$(grep -c tick "$work/first")" -ge $((already + 30)) ]; }
		wait_until ticked
		kill -INT $first
		wait $first
		err=$(cat "$work/first")
		like "$err" '[1-9][0-9]* threads were not sampled: too many open files' \
			'new threads that exceed the limit of open files are reported'
	fi
	run "$as" sh -c \
		"for i in 1 2 3 4 5 6 7 8; do sleep 1000 >/dev/null 2>&1 & echo \$!; done; ulimit -n \
$((20 + 4 * cpus)); exec \"\$@\"" sh \
		"$DTR" -x engine=user -qn 'tick-100ms { exit(0); } profile-997 { }'
	# shellcheck disable=SC2086
	kill $out
	like "$err" 'not all threads are sampled: too many open files' \
		'threads that exceed the limit of open files at the start are reported'
fi

# Prints the rows of the ledger that do not add up: expected = delivered + every column not in brackets.
wrong_rows() {
	awk '/^  probe/ { for (i = 5; i <= NF; i++) bracket[i + 2] = $i ~ /^\(/; next }
	/^  (profile|tick)-/ { n = $4; for (i = 7; i <= NF; i++) if (!bracket[i]) n += $i; if (n != $3) print; rows++ }
	END { if (!rows) print "no rows" }'
}
# column PROBE COLUMN: the value in the ledger
column() {
	printf '%s\n' "$err" | awk -v probe="$1" -v name="$2" '/^  probe/ { for (i = 1; i <= NF;
		i++) if ($i == name) col = i + (i > 4) * 2 }
		$1 == probe && $2 == "all" { print col ? $col + 0 : 0; exit }'
}
# A program with AddressSanitizer starts another thread at its end to search for leaks.
plain="env ASAN_OPTIONS=detect_leaks=0 $busy"
for how in "" noperf "noperf notrace"; do
	[ $perf = yes ] || [ -n "$how" ] || continue
	# shellcheck disable=SC2086
	run "$as" $how "$DTR" -x ledger -qn 'profile-997 { @["all"] = count(); } tick-10ms { @["ticks"] = count(); }' \
		-c "$plain split 500 200"
	is "$(printf '%s\n' "$err" | wrong_rows)" '' "the ledger adds up${how:+, $how}"
	same "$(column profile-997 delivered)" "$(value all)" 'delivered is the count of the script'
	same "$(column tick-10ms delivered)" "$(value ticks)" 'delivered is the count of the script for tick, too'
	[ "$how" = noperf ] || between "$(column profile-997 '(made-up)')" 1 "$(value all)" \
		'firings derived from run time are counted as made up'
	between "$(column profile-997 missing)" 0 0 'no firing is missing'
done
# A small buffer and a stopped consumer: samples without room are not counted as time in the kernel.
if with_perf 'drops of a small buffer' && command -v prlimit >/dev/null; then
	# shellcheck disable=SC2086
	before=$(stolen)
	"$as" $plain deep 2500 100 >"$work/ran" &
	target=$!
	until_busy "$target"
	ticks() { awk '{ print $14 + $15 }' "/proc/$target/stat"; }
	"$as" prlimit --memlock=$((cpus * 8192)) "$DTR" -x engine=user -x ledger -x unwind=fp -n 'BEGIN {
		printf("there\n"); }
		profile-5000 { @[ustack()] = count(); } profile-5000 { @a[arg0 ? "kernel" : "user"] = count(); }' -p \
			$target >"$work/full" 2>"$work/err" &
	first=$!
	children="$children $target $first"
	until grep -q there "$work/full" 2>/dev/null || ! kill -0 $first; do sleep 0.1; done
	kill -STOP $first
	until=$(($(ticks) + $(getconf CLK_TCK)))
	while [ "$(ticks)" -lt $until ]; do sleep 0.1; done
	kill -CONT $first
	wait $first
	out=$(cat "$work/full") err=$(cat "$work/err")
	is "$(printf '%s\n' "$err" | wrong_rows)" '' 'the ledger of a session that loses samples adds up'
	between "$(column profile-5000 full)" 1 100000 'samples are lost because the buffer is full'
	is "$(printf '%s\n' "$err" | awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }')" \
		"$(column profile-5000 full)" 'the lost samples are reported as drops'
	between "$(column profile-5000 missing)" 0 0 'no other firing is missing'
	took=$(($(stolen) - before)) held=$(awk '$1 == "held" { print $2 }' "$work/ran")
	between "$(value kernel)" 0 "$(awk "BEGIN { print 60 + 0.2 * $(value user) + 5 * ($took + ${held:-0}) }")" \
		'lost samples are not counted as time in the kernel'
fi

# Stacks of 100 frames at 997 Hz: the buffers hold the samples of the second in which the consumer is stopped, with room
# for another second (a buffer for samples without stacks holds half a second of these).
if with_perf 'a stopped consumer' && [ "$cpus" -le 4 ] &&
	"$as" sh -c '[ "$(ulimit -l)" = unlimited ] || [ "$(ulimit -l)" -ge 8192 ]'; then
	"$as" "$busy" deep 2500 100 >"$work/ran" &
	target=$!
	until_busy "$target"
	"$as" "$DTR" -x engine=user -x unwind=fp -n 'BEGIN { printf("there\n"); } profile-997 {
		@[ustack()] = count(); }' -p $target >"$work/deep" 2>&1 &
	first=$!
	children="$children $target $first"
	until grep -q there "$work/deep" 2>/dev/null || ! kill -0 $first; do sleep 0.1; done
	kill -STOP $first
	until=$(($(ticks) + $(getconf CLK_TCK)))
	while [ "$(ticks)" -lt $until ]; do sleep 0.05; done
	kill -CONT $first
	wait $first
	is "$(grep -E 'drop' "$work/deep")" '' 'a consumer that is stopped for a second loses no samples'
	like "$(cat "$work/deep")" 'busy.deep' 'the stacks are deep'
fi

# Name, priority, user, stack and symbols of the process.
if with_perf 'names, priorities, stacks' && [ "$lib" != '-x nolibs' ]; then
	nicer=$(($(nice) + 5)) # 19 is the largest nice value
	[ $nicer -le 19 ] || nicer=19
	# shellcheck disable=SC2086
	run "$as" nice -n 5 "$DTR" $lib -qn 'profile-997 /arg1/ { @[execname, curpsinfo->pr_fname, curlwpsinfo->pr_nice,
		curlwpsinfo->pr_pri, curlwpsinfo->pr_clname, curpsinfo->pr_uid == uid,
		pid == curpsinfo->pr_pid] = count(); }
		profile-97 /arg1/ { @f[usym(arg1)] = count(); @s[ustack()] = count(); }' -c "$busy split 400 0"
	like "$out" "busy +busy +$nicer +$((19 - nicer)) +TS +1 +1 +[0-9]{2,}" \
		'curpsinfo and curlwpsinfo from /proc'
	like "$out" 'busy.busy_user' 'symbols'
	like "$out" 'busy.main\+0x' 'stacks'
	run "$as" "$DTR" $lib -qn 'BEGIN { printf("%d pages\n", curthread->mm->total_vm); exit(0); }'
	like "$out" '^[1-9][0-9]{2,} pages' 'the number of mapped pages'
	run "$as" "$DTR" -qn 'profile-97 { @[*(char *)0xffffffff81000000] = count(); } profile-97 {
		@all["all"] = count(); }' \
		-c "$busy split 200 0"
	like "$err" 'invalid address' 'reading other kernel memory is a fault'
	between "$(value all)" 5 40 'the fault ends only its clause'
fi

# A value that is never available is refused at compile time.
run "$as" "$DTR" -qn 'profile-97 { @[curthread->nvcsw] = count(); }'
is "$status" 1 'a member of curthread that samples do not provide is refused'
like "$err" 'curthread->nvcsw is available only with BPF .*run as root' 'the error gives the reason'
# Members that share an offset or are nested: bit-fields, unions, structures.
named=0
for member in sched_migrated sched_contributes_to_load sched_task_hot in_iowait in_execve frozen no_cgroup_migration \
	se.vruntime \
	se.avg.load_sum prev_cputime.stime rcu.next rcu_users.refs.counter thread_info.flags; do
	run "$DTR" -x engine=user -qn "BEGIN { trace(curthread->$member); exit(0); }"
	case $err in *'not a member'* | *'no member'*) continue ;; esac # not in this kernel
	named=$((named + 1))
	like "$err" "curthread->$member is available only with BPF" "curthread->$member is reported by its own name"
done
between $named 6 13 'most of these members exist'
# So is one of a structure to which curthread leads, and a structure of which a part is not known.
while IFS='|' read -r script lacks; do
	run "$DTR" -x engine=user -qn "BEGIN { $script; exit(0); }"
	like "$status:$err" "^1:.*curthread->$lacks is available only with BPF" "$script is refused"
done <<'E'
trace(curthread->fs->umask)|fs->umask
trace(curthread->nsproxy->uts_ns->user_ns)|nsproxy->uts_ns->user_ns
print(*curthread->nsproxy->uts_ns)|nsproxy->uts_ns->user_ns
this->s = *curthread->signal; trace(this->s.nr_threads)|signal->[a-z_]+
E
run "$DTR" -x engine=user -qn 'BEGIN { print(curthread->signal->pids[1]->numbers[0]); printf("%x", pid); exit(0); }'
is "$(printf '%s\n' "$out" | awk '/ nr = / { nr = $NF } END { print (nr == "0x" $0) }')" 1 \
	'a structure whose members are known, and that has a gap'

# Directories, files, the name space and ancestors of the process.
if [ "$lib" != '-x nolibs' ]; then
	cd "$here/tests" || exit 1
	exec 7<"$here/tests/kernel/busy"
	ask='printf("%s|%s|%s|%s|%s|%x|%s|%s|%d|%d|%s\n", cwd, root, zonename, fds[7].fi_pathname, fds[7].fi_fs,
		fds[7].fi_oflags & O_ACCMODE, fds[7].fi_mount, fds[8].fi_name, progenyof($1), progenyof(99999999),
		fds[1].fi_fs);'
	for source in "" noperf "noperf notrace"; do
		# shellcheck disable=SC2086
		run "$as" $source "$DTR" $lib -x engine=user -qn "profile-97 /pid == \$target && !done++/ {
			$ask exit(0); }" -c "$busy split 60000 0" $$
		told=$out
		like "$told" "^$(pwd -P)\|/\|[^|]+\|$(readlink -f "$busy")\|[a-z0-9]+\|0\|/[^|]*\|<none>\|1\|0\|" \
			"values from /proc${source:+, $source}"
	done
	if "$here/tests/kernel/can_bpf" >/dev/null; then
		run "$DTR" -qn "profile-97 /pid == \$target && !done++/ { $ask exit(0); }" -c "$busy split 60000 0" $$
		is "$(printf '%s\n' "$out" | grep '|')" "$(printf '%s\n' "$told" | grep '|')" \
			'the kernel engine has the same values'
	fi
	exec 7<&-
fi

# The run time of a thread never advances faster than the clock and is complete at the end.
for source in "" noperf "noperf notrace"; do
	# shellcheck disable=SC2086
	busy_run "$as" $source "$DTR" -x engine=user -qn 'self uint64_t t, v; int bad;
		profile-997 /pid == $target && self->t/ { bad += timestamp - self->t < vtimestamp - self->v; n++; }
		profile-997 /pid == $target/ { self->t = timestamp; self->v = vtimestamp;
		@ = max(vtimestamp / 1000000); }
		END { printf("bad %d\nof %d\n", bad, n); printa("most %@d\n", @); }' -c "$busy split 1500 500"
	is "$(value bad)" 0 "vtimestamp is never ahead of timestamp${source:+, $source}"
	between "$(value of)" 400 100000 "vtimestamp was compared often${source:+, $source}"
	# stolen time counts as run time; without perf events the last sample may be long before the end
	between "$(value most)" "$(awk "BEGIN { print $(value ran) * (\"$source\" == \"\" ? 0.95 : 0.5) - $held }")" \
		"$(awk "BEGIN { print $(value ran) * 1.5 + 50 + $took }")" \
			"vtimestamp reaches the run time of the thread${source:+, $source}"
done

# Firings of a thread may be processed up to 0.1 s after its exit: its vtimestamp must not advance any more.
if with_perf 'vtimestamp stops when the thread exits'; then
	busy_run "$as" "$DTR" -qn 'profile-997 /pid == $target && tid != pid/ { @ = max(vtimestamp / 1000000); } END {
		printa("most %@d\n", @); }' \
		-c "$busy threads 25 20000"
	between "$(value most)" 15 "$(awk "BEGIN { print $(value longest) + 50 + $took }")" \
		'vtimestamp stops when the thread exits'
fi

if with_perf 'registers'; then
	run "$as" "$DTR" -qn 'profile-997 /arg1/ { @["at", uregs[R_PC] == arg1] = count(); } profile-997 /arg1 &&
		!uregs[R_SP]/ { @no["no"] = count(); }' \
		-c "$busy split 200 0"
	like "$out" 'at +1 +[0-9]{2,}' 'R_PC is arg1'
	unlike "$out" 'at +0|no ' 'every sample has R_PC and R_SP'
fi
run "$as" noperf "$DTR" -qn 'profile-97 { @[uregs[R_PC]] = count(); }'
like "$err" 'registers need perf events' 'registers are refused without perf events'

# Memory of the user's own processes.
run "$as" "$DTR" $lib -qn 'profile-97 /pid == $target/ { @[stringof(copyinstr(curthread->mm->arg_start))] = count();
	n++; }
	profile-97 /n >= 10/ { exit(0); }' -c "$busy split 60000 0"
[ "$lib" = '-x nolibs' ] || like "$out" 'busy +[0-9]+$' 'copyinstr() reads the current memory of the process'

# tick, exit, END; printing and clearing aggregations loses nothing.
run "$as" "$DTR" -qn 'profile-997 { @["n"] = count(); @t["total"] = count(); } tick-100ms { printa("%s %@d\n", @);
	clear(@); }
	tick-100ms { n++; } END { printa("%s %@d\n", @t); printf("ticks %d\n", n); printa("%s %@d\n", @); clear(@);
	clear(@t); }' \
	-c "$busy split 700 0"
is "$(printf '%s\n' "$out" | awk '$1 == "n" { s += $2 } END { print s }')" "$(value total)" \
	'printa() and clear() lose nothing'
between "$(value ticks)" 6 400 'tick fires'

# One tick per interval, none twice: each has the time at which it was due, or is more than a second late and counted
# so.
run "$as" "$DTR" -x engine=user -x ledger -qn 'uint64_t last; tick-200us { n++; wrong += last && (timestamp <= last ||
	(timestamp - last) % 200000);
	last = timestamp; } tick-1s { exit(0); } END { printf("n %d\nwrong %d\n", n, wrong); }'
same "$(value n)" "$(column tick-200us delivered)" 'tick: delivered is the count of the script'
same $(($(value n) + $(column tick-200us late))) "$(column tick-200us expected)" \
	'tick: fired and late add up to expected'
is $(($(column tick-200us expected) % 5000)) 0 'tick: expected covers whole seconds'
is "$(value wrong)" 0 'tick: timestamp is the time at which it was due'

# The same script in both engines.
if "$here/tests/kernel/can_bpf" >/dev/null; then
	for engine in bpf user; do
		busy_run "$DTR" -x engine=$engine -qn 'profile-997 /pid == $target/ {
			@[arg0 ? "kernel" : "user"] = count(); }' \
			-c "$busy split 600 300"
		within "$(value user)" 10 598 "engine=$engine: time in user code" "$held" 0
		within "$(value kernel)" 30 299 "engine=$engine: time in the kernel" "$held" $((took + held))
	done
	run "$as" root nobpf "$DTR" -n 'profile-997 { @["all"] = count(); } tick-200ms { exit(0); }'
	is "$status" 0 'root without bpf() uses the rootless engine'
	like "$err" 'seccomp filter.*all tasks' 'root without bpf() samples all tasks'
fi
done_testing
