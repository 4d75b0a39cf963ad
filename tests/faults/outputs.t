# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sudden ends: outputs that fail, pipes that block, system calls that are refused; many sessions at once.
. "$SRC/tests/lib/tap.sh"
need_kernel
faults=$here/tests/faults
many=${MANY:-20}

run "$DTR" -qn 'BEGIN { trace(1); exit(0); }' -o /dev/full
is "$status" 1 'a full disk: status 1'
is "$err" 'dtr: failed to write /dev/full: No space left on device' 'a full disk is reported, with the name of the file'
run "$DTR" record -q --duration 1 -o /dev/full
is "$status:$err" '1:dtr: failed to write /dev/full: No space left on device' 'by dtr record, too'
for args in '-d P' '-d B' '-ev' '-l'; do
	"$DTR" $args -n 'BEGIN { trace(1); }' >/dev/full 2>"$work/err"
	status=$? err=$(cat "$work/err")
	is "$status" 1 "a full disk: status 1 for $args"
done
for fd in 1 2; do
	eval "timeout 300 \"\$DTR\" -qn 'BEGIN { trace(1); exit(0); }' $fd>&-" >"$work/out" 2>"$work/err"
	s=$?
	[ $s = $((fd == 1)) ]
	ok $? "descriptor $fd closed: status $s"
done
timeout 300 "$DTR" -qn 'tick-1ms { printf("%200s\n", "x"); }' 2>"$work/err" | head -n 1 >/dev/null
is "$(cat "$work/err")" '' 'a reader that closes the pipe ends dtr without a message'

# A second Ctrl-C ends dtr if its output is blocked.
mkfifo "$work/pipe"
sleep 1000 <"$work/pipe" &
children="$children $!"
"$DTR" -qn 'tick-1ms { printf("%200s\n", "x"); }' >"$work/pipe" 2>"$work/err" &
pid=$!
children="$children $pid"
wait_for pipe_write "/proc/$pid/wchan" # blocked: the main thread waits in pipe_write
# Has it taken the signals that were sent?
taken() { ! grep -q '^\(SigPnd\|ShdPnd\):.*[1-9a-f]' "/proc/$pid/status"; }
kill -INT $pid
wait_until taken
sleep 1 # four times the interval in which two signals count as one
ended() { case $(sed 's/.*) //; s/ .*//' "/proc/$pid/stat") in '' | Z) ;; *) false ;; esac; }
ended
ok $(($? == 0)) 'dtr with a blocked pipe does not end at the first Ctrl-C'
kill -INT $pid
wait_until ended
wait $pid
is $? 1 'the second Ctrl-C ends dtr with status 1'

mkdir "$work/none"
for e in EPERM ENOSYS; do
	run "$here/tests/lab/refuse" bpf=$e -- "$DTR" -x engine=bpf -qn 'BEGIN { exit(0); }'
	is "$status" 1 "bpf() refused with $e: status 1"
	case $e in EPERM) want='seccomp filter' ;; *) want='no bpf() system call' ;; esac
	is "$(printf '%s\n' "$err" | grep -cF "$want")" 1 "bpf() refused with $e: says why"
	run "$here/tests/lab/refuse" perf_event_open=$e -- "$DTR" -x engine=bpf -qn 'tick-1s { exit(0); }'
	is "$status" 1 "perf_event_open() refused with $e: status 1"
	case $e in
	EPERM) want='a seccomp filter forbids perf events' ;;
	*) want='this kernel has no perf events' ;;
	esac
	like "$err" "^dtr: failed to enable probe profile:::tick-1s: .*$want" \
		"perf_event_open() refused with $e: says why"
	run "$here/tests/lab/refuse" perf_event_open=$e -- "$DTR" -n 'tick-100ms { exit(7); }'
	like "$status:$(printf '%s\n' "$err" | tail -n 1)" "^7:dtr: $want.*; the script runs in this process" \
		"perf_event_open() refused with $e: the rootless engine runs what it can"
	run "$here/tests/lab/refuse" perf_event_open=$e -- "$DTR" -qn 'sched:::on-cpu { @[ustack()] = count(); }
		tick-100ms { exit(0); }'
	is "$status:$(printf '%s\n' "$err" | grep -c .)" 1:1 \
		"perf_event_open() refused with $e: other scripts end with one error"
	for tool in 'flame -t 100ms' 'hotkernel -t 100ms' 'hotuser -c true' 'profil -c true'; do
		# shellcheck disable=SC2086
		run env -C "$work/none" "$here/tests/lab/refuse" perf_event_open=$e ptrace=EPERM -- "$DTR" $tool
		like "$status:$(ls "$work/none"):$out:$err" \
			'^1:::dtr: samples have neither program counters nor stacks: ' \
			"perf_event_open() refused with $e: one error by $tool"
	done
done
while IFS='|' read -r e why; do
	run "$here/tests/lab/refuse" perf_event_open="$e" -- "$DTR" stat -e cs -c true
	is "$status:$err" "1:dtr stat: cs: $why" "perf_event_open() refused with $e: dtr stat says why"
	run "$here/tests/lab/refuse" perf_event_open="$e" -- "$DTR" -qn 'cpc:::page_faults-all-1000 {}'
	is "$status:$(printf '%s\n' "$err" | grep -cF "$why")" 1:1 "perf_event_open() refused with $e: cpc says why"
done <<'E2'
EPERM|a seccomp filter forbids perf events (in a container: --security-opt seccomp=unconfined; see dtr help rootless)
EBUSY|another program or the kernel's NMI watchdog (kernel.nmi_watchdog) has the counters
ENOSPC|no counter is free
EMFILE|too many open files: the limit on descriptors (ulimit -n) is too low
E2
run "$here/tests/lab/refuse" perf_event_open=ENOSYS -- "$DTR" prog --vars --object stdout \
	-c "$here/tests/kernel/busy split 1 0"
like "$status:$err" '^1:dtr: failed to enable probe watch.*: this kernel has no perf events$' \
	'no perf events: a probe on a variable says why'
run "$here/tests/lab/refuse" bpf=EPERM perf_event_open=EPERM ptrace=EPERM -- "$DTR" -n 'profile-97 {
	@[ustack()] = count(); }' -c true
is "$status:$(printf '%s\n' "$err" | grep -c 'no stacks: perf_event_open is forbidden')" 0:1 \
	'no perf events: a warning says that there are no stacks'
unlike "$err" 'frame pointers' 'no perf events: nothing is said about how stacks are found'
run "$here/tests/lab/refuse" bpf=EPERM perf_event_open=EPERM -- setpriv --bounding-set=-syslog --inh-caps=-syslog \
	"$DTR" kprof -c "$here/tests/kernel/busy split 50 0"
unlike "$status:$err" 'kernel addresses' 'no perf events: no addresses, so none is missing a name'
for n in 16 24 32 40 48 56; do
	run prlimit --nofile=$n "$DTR" plockstat -c true
	unlike "$status:$err" 'this kernel has no' "$n open files: the kernel is not blamed"
done
if [ "$(id -u)" = 0 ]; then
	run setpriv --bounding-set=-all --inh-caps=-all "$DTR" -x engine=bpf -qn 'BEGIN { exit(0); }'
	like "$status:$err" '^1:dtr: no privilege to use BPF: this root lacks CAP_BPF and CAP_PERFMON .*dtr help root' \
		'root without capabilities is not told to become root'
	run unshare --user --map-root-user "$DTR" -x engine=bpf -qn 'BEGIN { exit(0); }'
	case $status:$err in
	*unshare:*) skip 'another user name space is named' 'no user name spaces' ;;
	*) like "$status:$err" '^1:.*this is not the initial user name space' 'another user name space is named' ;;
	esac
	chmod 711 "$work"
	cp "$DTR" "$work/dtr"
	for probe in 'BEGIN { exit(0); }' 'tick-1ms { exit(0); }'; do
		run env DTR_SHARE="$SRC/share" setpriv --reuid 65534 --regid 65534 --clear-groups "$work/dtr" -x \
			engine=bpf -qn "$probe"
		is "$status" 1 "without privilege: status 1: $probe"
		like "$err" '^dtr: no privilege to use BPF: run as root' "without privilege: says so: $probe"
	done
fi

# Many sessions at once: each has its own counts.
at_once() {
	pids=
	for k in $(seq "$1"); do
		"$DTR" -qn 'BEGIN { @s[$1] = sum($1); } tick-10ms { @n[$1] = count(); } tick-10ms /++i == 20/ {
			exit(0); }
			END { printa("%d %@d\n", @s); printa("%d %@d\n", @n); }' "$k" >"$work/m$k" 2>"$work/e$k" &
		pids="$pids $!"
	done
	bad=0
	for p in $pids; do wait "$p" || bad=$((bad + 1)); done
	for k in $(seq "$1"); do
		[ "$(grep -v '^$' "$work/m$k" | tr '\n' ';')" = "$k $k;$k 20;" ] ||
			{ bad=$((bad + 1)); echo "# $k: $(tr '\n' ';' <"$work/m$k") $(cat "$work/e$k")"; }
	done
	is "$bad" 0 "$1 sessions at once: each has its own counts"
}
at_once 2
at_once "$many"
done_testing
