#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr kgmon: sessions that nobody attends, in a BPF file system of this test's own.
# shellcheck disable=SC2016 # $ of awk
# silent: 600 s: gprof takes long to read all functions of a kernel
. "$SRC/tests/lib/tap.sh"
known_calls
need_kernel
with_bpf 'dtr kgmon' || { echo '1..0 # SKIP needs BPF'; exit 0; }
[ -n "${kgmon_mounts-}" ] || { rm -r "$work"; exec env kgmon_mounts=1 tap_again=1 unshare -m sh "$0" "$@"; }
bpffs=/sys/fs/bpf
while grep -q " $bpffs bpf " /proc/self/mounts; do umount -l $bpffs || exit 1; done
cd "$work" || exit 1
kgmon() { run "$DTR" kgmon "$@"; }
field() { printf '%s\n' "$out" | awk -v name="$1" -v s="${2-default}" '/^[^ ]/ { on = $1 == s ":" } on && $1 == name {
	print $2; exit }'; }
state() { kgmon -s; printf '%s\n' "$out" | sed -n "s/^${1-default}: //p"; }
samples() { kgmon -s; field samples "$@"; }
# The sums of @elsewhere, @samples and @arcs.
sums() { printf '%s\n' "$out" | awk 'NF == 1 { e += $1 } NF == 2 { s += $2 } NF == 3 { a += $3 } END {
	print e + 0, s + 0, a + 0 }'; }
grown() { [ "$(samples "$2")" -gt "$1" ]; }
folders() { (cd $bpffs && find . -name 'dtr*'); }
note_pinned() { "$here/tests/kernel/pinned" list $bpffs/dtr/*/* >>pinned; }
spin_on 0

# ---- no file system ----
if grep -q ' bpf ' /proc/self/mounts; then
	skip 'no BPF file system: one message' 'another one is mounted'
else
	kgmon -b
	is "$status:$out$err" "1:dtr kgmon: no BPF file system is mounted, which keeps a session after dtr has ended \
(mount -t bpf bpf /sys/fs/bpf)" 'no BPF file system: one message'
fi
mount -t bpf bpf $bpffs || { echo "Bail out! no BPF file system"; exit 1; }
kgmon -s
is "$status:$out$err" '0:' 'no session'

# ---- the command line ----
for bad in '' '-b -h' '-b -k -x /bin/sh' '-s -d' '-F 97' '-p -F 97' '-o x -r' \
	'-b -x /bin/sh --calls f' '-r --objects all' '-b -n a/b' '-b -n .' '-b extra' '-z' \
	'-b -F' '-b -p'; do
	# shellcheck disable=SC2086 # words
	kgmon $bad
	like "$status:$(printf '%s\n' "$err" | wc -l):$err" '^2:1:dtr kgmon: .*--help' "dtr kgmon $bad: a usage error"
done
for bad in '-b -F x' '-b -p 0' '-b -p 99999999' '-b -x /nonexistent' "-b -x $0" '-b --aggsize 0x'; do
	# shellcheck disable=SC2086
	kgmon $bad
	like "$status:$(printf '%s\n' "$err" | wc -l):$err" '^1:1:dtr' "dtr kgmon $bad: one message"
done
is "$(folders)" '' 'nothing is left'
for task in -h -p -r -d; do
	kgmon $task
	is "$status:$err" "1:dtr kgmon: there is no session 'default'" "dtr kgmon $task without a session"
done
kgmon -s -n nothing
is "$status:$err" "1:dtr kgmon: there is no session 'nothing'" 'dtr kgmon -s -n without the session'
library=$(awk '/libc\.so/ { print $NF; exit }' "/proc/$spin/maps")
if [ -n "$library" ]; then
	kgmon -b -x "$library"
	is "$status:$err" "1:dtr kgmon: object $library: it is a library, not a program" 'a library: one message'
else
	skip 'a library: one message' 'the test programs use none'
fi
kgmon --help
like "$status:$out" '^0:usage: dtr kgmon' 'dtr kgmon --help'
run "$here/tests/kernel/as_user" "$DTR" kgmon -b
like "$status:$(printf '%s\n' "$err" | wc -l):$err" '^1:1:dtr kgmon: .*CAP_BPF' 'without privilege: one message'

# ---- a session of the kernel ----
kgmon -b -F 997
is "$status:$out$err" 0: 'a session begins'
is "$(state)" running 'it is running'
wait_until grown 100 default
kgmon -b
is "$status:$err" "1:dtr kgmon: session 'default' is running" 'it cannot begin again'
kgmon -h
is "$status:$out$err" 0: 'it stops'
is "$(state)" stopped 'it is stopped'
fired=$(samples)
due=$(kgmon -s; printf '%s\n' "$out" | awk '$1 == "samples" { print $4 }')
cpus=$(kgmon -s; printf '%s\n' "$out" | awk '$1 == "counted" { print $(NF - 1) }')
between "$fired" 101 $((due + cpus)) 'the ledger: at most one sample in each interval of each CPU'
wait_until has_run "$spin" $(($(awk '{ sub(/.*\) /, ""); print $12 }' "/proc/$spin/stat") + 20))
is "$(samples)" "$fired" 'nothing is counted after it stopped'
kgmon -p -O text
counted=$out
like "$(sums)" "^[0-9]+ [1-9][0-9]* 0" 'samples in the kernel, and elsewhere'
# shellcheck disable=SC2046 # words
set -- $(sums)
is "$(($1 + $2))" "$fired" 'they are all samples of the ledger'
kgmon -p -O text
is "$out" "$counted" 'the data stay the same'
kgmon -p -O json -o data
is "$status:$(wc -l <data | tr -d ' ')" "0:$(grep -c '"' data)" '-O and -o'
like "$(cat data)" '"samples"' 'the file has the aggregations'
kgmon -p -o none -O nosuch
like "$status:$(printf '%s\n' "$err" | wc -l):$(ls none 2>&1)" '^1:1:.*No such file' 'a wrong format leaves no file'
mkdir full && mount -t tmpfs -o size=16k none full
kgmon -p -o full/gmon.out
like "$status:$(ls full):$err" '^1::dtr: failed to write full/gmon.out: No space left on device$' \
	'a full disk: one message, and no file is left'
umount full
mount -o remount,bind,ro $bpffs
kgmon -d
is "$status:$err:$(state)" "1:dtr kgmon: failed to remove $bpffs/dtr/default: Read-only file system:stopped" \
	'a read-only BPF file system: nothing is deleted'
mount -o remount,bind,rw $bpffs
kgmon -b
is "$status:$err:$(state)" 0::running 'a stopped session continues'
wait_until grown "$fired" default
kgmon -hp -O text
# shellcheck disable=SC2046
set -- $(sums)
is "$(($1 + $2))" "$(samples)" '-hp: the data of both runs'
kgmon -r
is "$status:$err:$(samples):$(state)" 0::0:stopped '-r sets the counts to zero'
kgmon -p -O text
is "$(sums)" '0 0 0' 'and the data'
kgmon -b -F 100
like "$status:$err" "^1:dtr kgmon: session 'default' measures something else: the kernel" \
	'other options need another session'

# ---- several sessions ----
kgmon -b
kgmon -n second -b -F 499
is "$status:$err" 0: 'another session'
wait_until grown 50 default
wait_until grown 50 second
kgmon -h
first=$(samples)
second=$(samples second)
wait_until grown "$second" second
is "$(samples):$(state second)" "$first:running" 'one is stopped, the other goes on'
kgmon -s -n second
is "$status:$(printf '%s\n' "$out" | grep '^[^ ]')" '0:second: running' '-s -n shows one'
kgmon -n second -r
is "$status:$err:$(state second)" 0::running 'a running session goes on after -r'
wait_until grown 0 second
is "$(samples)" "$first" 'the other keeps its counts'
note_pinned
between "$(wc -l <pinned)" 8 100 'two sessions have programs and maps'
kgmon -n second -d
is "$status:$err:$(state second)" 0:: '-d deletes a running session'
kgmon -d
is "$status:$err:$(folders)" 0:: '-d deletes the last session and the folder'
wait_until nothing_held pinned
is "$(still_held pinned)" '' 'no program and no map is left'

# ---- drops ----
kgmon -b -F 4999 --aggsize 1
wait_until sh -c "$DTR kgmon -s | grep -q 'drops *[1-9]'"
kgmon -h
kgmon -p -O text
# shellcheck disable=SC2046
set -- $(sums)
kgmon -s
is "$(($1 + $2 + $(field drops)))" "$(field samples)" 'drops are counted'
kgmon -p -O text
like "$err" '[1-9][0-9]* aggregation drop' 'and reported with the data'
kgmon -rd
is "$status:$err" 0: '-rd'

# ---- programs ----
"$here/tests/kernel/spinfn" 0 >range &
fn=$!
children="$children $fn"
wait_until has_run $fn 5
wait_until test -s range
base=$(awk '/spinfn/ { sub(/-.*/, ""); print; exit }' /proc/$fn/maps)
low=$((0x$(cut -d' ' -f1 range) - 0x$base)) high=$((0x$(cut -d' ' -f2 range) - 0x$base))
kgmon -n one -b -F 997 -p $fn --arcs
is "$status:$err" 0: 'a session of a process'
kgmon -n all -b -F 997 -x "$here/tests/kernel/spinfn"
is "$status:$err" 0: 'a session of a program'
kgmon -n other -b -F 997 -x "$here/tests/kernel/known"
in_session() { kgmon -n "$1" -p -O text; set -- "$2" $(sums); [ "$3" -gt "$1" ]; }
wait_until in_session one 50
wait_until in_session all 50
# Addresses are hexadecimal.
in_function() { printf '%s\n' "$out" | awk -v low=$low -v high=$high '
	function number(text, n) { for (text = substr(text, 3); text != ""; text = substr(text, 2))
		n = n * 16 + index("0123456789abcdef", substr(text, 1, 1)) - 1; return n }
	NF == 2 { if (number($1) >= low && number($1) < high) inside += $2; else outside += $2 }
	END { print (inside > 0) ":" outside + 0 }'; }
kgmon -n one -p -O text
is "$(in_function)" 1:0 'all samples are in the function in which it spins'
kgmon -n all -p -O text
is "$(in_function)" 1:0 'with the addresses of its file'
stop $fn
kgmon -n one -p -O text
before_second=$(sums)
"$here/tests/kernel/spinfn" 0 >/dev/null &
fn=$!
children="$children $fn"
kgmon -n all -p -O text
# shellcheck disable=SC2046
set -- $(sums)
wait_until in_session all $(($2 + 50))
kgmon -n one -p -O text
is "$(sums)" "$before_second" 'only the chosen process'
kgmon -n other -p -O text
is "$(sums)" '0 0 0' 'not another program'
stop $fn
for name in one all other; do kgmon -n $name -d; done

# ---- stacks and calls of the kernel ----
kgmon -b -F 100 --arcs
dd if=/dev/zero of=/dev/null bs=1M count=5000 2>/dev/null
wait_until grown 50 default
kgmon -h
kgmon -p -O text
like "$out" '^ +vmlinux`do_syscall_64' '--arcs: stacks'
is "$(sums)" "$(samples) 0 0" 'each sample has one stack, or is elsewhere'
kgmon -r
kgmon -p -O text
is "$status:$err:$(sums)" '0::0 0 0' '-r empties the stacks'
kgmon -b
like "$status:$err" '^0:' '-b continues a session that began with options'
kgmon -s
like "$out" 'running' 'it is running again'
kgmon -b -F 200
is "$status" 1 'it does not take another rate'
kgmon -d
if [ -d /sys/bus/event_source/devices/kprobe ]; then
	kgmon -b --calls '__x64_sys_getpp*'
	is "$status:$err" 0: '--calls'
	"$here/tests/kernel/known" >/dev/null
	kgmon -hp -O json
	calls=$(printf '%s\n' "$out" | sed -n '/"calls"/s/.*"value":\([0-9]*\).*/\1/p' |
		awk '{ n += $1 } END { print n }')
	between "$calls" 1000 1010 'all calls of a function are counted (other processes may call it, too)'
	kgmon -d
	kgmon -b --calls nosuch_function
	like "$status:$err" "^1:dtr: .*script dtr kgmon -b: line .* does not match any probes" \
		'a function that does not exist'
else
	kgmon -b --calls __x64_sys_getppid
	like "$status:$err" '^1:dtr: .*script dtr kgmon -b: line .*this kernel has no kprobes' \
		'--calls without kprobes: one message'
fi
is "$(folders)" '' 'nothing is left'

# ---- gprof ----
# NAME-OF-IMAGE: "SAMPLES" that gprof shows. It prints hundredths of a second, so sessions have 100 samples a second.
gprof_samples() { gprof -bp "$1" gmon.out | awk '$1 ~ /^[0-9.]+$/ && $3 > 0 { n += $3 * 100 } END {
	printf "%d\n", n + 0.5 }'; }
if any_of gprof && any_of gcc; then
	kgmon -b -F 100
	dd if=/dev/zero of=/dev/null bs=1M count=5000 2>/dev/null
	wait_until grown 50 default
	kgmon -h
	kgmon -p -O text
	all=$(sums)
	kgmon -p --objects kernel
	like "$status:$out:$err" '^0::dtr: gmon.out: vmlinux: [0-9]+ samples, 100 a second' 'kgmon -b, a load, -h, -p'
	n=$(printf '%s\n' "$err" | sed -n 's/^dtr: gmon.out: vmlinux: \([0-9]*\) .*/\1/p')
	others=$(printf '%s\n' "$err" | sed -n 's/^dtr: samples of other objects: //p' | tr , '\n' |
		awk '{ s += $NF } END { print s + 0 }')
	# shellcheck disable=SC2086
	set -- $all
	is "$((n + others))" "$2" 'they are all samples of the kernel'
	is "$(gprof_samples gmon.out.elf)" "$n" 'gprof shows them'
	cp gmon.out before_failure
	"$here/tests/kernel/pinned" edit $bpffs/dtr/default/about "$("$DTR" -V | awk '{ print $NF }')" 0.0
	kgmon -p
	is "$status:$(cmp gmon.out before_failure)" 1: 'if -p fails, the file stays'
	kgmon -d

	echo 'static void spin(void) { for (volatile long n = 0;; n++); } int main(void) { spin(); }' >spinner.c
	gcc -O0 -w -fno-omit-frame-pointer -o spinner spinner.c
	./spinner &
	fn=$!
	children="$children $fn"
	wait_until has_run $fn 5
	kgmon -b -F 100 -x ./spinner --arcs
	wait_until in_session default 50
	kgmon -h
	stop $fn
	kgmon -p
	like "$status:$err" "^0:dtr: gmon.out: spinner: [0-9]+ samples, 100 a second, .*: \
gprof $work/spinner gmon.out$" \
		'a program'
	like "$(gprof -bp spinner gmon.out | awk 'NF > 3 && $1 > 0 { print $1, $NF }')" '^100.00 spin$' \
		'gprof: all the time is in its function'
	like "$(gprof -bq spinner gmon.out)" '/[0-9]+ +main \[[0-9]+\]$' 'which main() called'
	cp spinner other && echo >>other && mv other spinner
	kgmon -p
	is "$status:$err" "1:dtr kgmon: $work/spinner has changed since session 'default' began" \
		'a program that has changed'
	kgmon -p -O json
	is "$status:$err" 0: 'its addresses can be shown'
	kgmon -d
else
	skip 'files for gprof' 'no gprof or no gcc'
fi

run "$DTR" -q -O gmon -o file -x gmonaddresses=/nonexistent -n 'profile-100 { @samples[arg0] = count(); }' \
	-n 'tick-100ms { exit(0); }'
is "$status:$err" '1:dtr: failed to read /nonexistent: No such file or directory' '-x gmonaddresses of a missing file'

# ---- what else is in the folders ----
kgmon -b
mkdir $bpffs/dtr/strange $bpffs/dtr/strange/folder $bpffs/dtr/default/mine $bpffs/dtr/empty
is "$(state strange)" 'not a session of dtr' 'another folder'
is "$(state empty)" 'incomplete: its start or deletion was interrupted; -d deletes it' 'an empty folder'
if chown 12345 $bpffs/dtr/empty 2>/dev/null; then
	is "$(state empty)" 'not a session of dtr' 'an empty folder of another user'
	chown "$(id -u)" $bpffs/dtr/empty
fi
kgmon -n strange -d
is "$status:$err" "1:dtr kgmon: $bpffs/dtr/strange is not a session of dtr" 'it is not deleted'
kgmon -n strange -h
is "$status:$err" "1:dtr kgmon: 'strange' is not a session of dtr" 'and not stopped'
kgmon -n empty -b
is "$status:$err" "1:dtr kgmon: session 'empty' is incomplete: -d deletes it" 'an incomplete session does not begin'
kgmon -n empty -d
is "$status:$err" 0: 'it is deleted'
kgmon -s
is "$(field other)" mine 'a file that is not of the session is shown'
kgmon -d
is "$status:$err:$(ls $bpffs/dtr/default)" "1:dtr kgmon: $bpffs/dtr/default/mine is not dtr's: the folder is not \
removed:$(printf 'about\nmine')" 'and not deleted'
rmdir $bpffs/dtr/strange/folder $bpffs/dtr/strange $bpffs/dtr/default/mine
kgmon -d
is "$status:$err:$(folders)" 0:: 'the rest is deleted'

# ---- another version ----
kgmon -b
"$here/tests/kernel/pinned" edit $bpffs/dtr/default/about "$("$DTR" -V | awk '{ print $NF }')" 0.0
kgmon -p -O text
like "$status:$err" "^1:dtr kgmon: session 'default' was started by dtr 0.0, and this is dtr" \
	'a session of another version'
kgmon -h
is "$status:$err:$(state)" 0::stopped 'it can be stopped'
kgmon -b
like "$status:$err" "^1:dtr kgmon: session 'default' was started by dtr 0.0" 'but not continued'
kgmon -d
is "$status:$err" 0: 'and deleted'

# ---- two at once ----
n=0 once=0
while [ $n -lt 5 ]; do
	n=$((n + 1))
	{ "$DTR" kgmon -b 2>err1; echo $? >status1; } &
	one=$!
	{ "$DTR" kgmon -b 2>err2; echo $? >status2; } &
	wait $one $!
	[ "$(sort status1 status2 | tr -d '\n')" != 01 ] || once=$((once + 1))
	kgmon -d
done
is "$once" 5 'of two that begin at once, one does'

# ---- killed ----
# Kills dtr at each call that changes something, until it gets through. Afterwards, the session is there in a state that
# -s names, or not at all; and -d removes what there is. Prints the states.
killed() { # ARGUMENT...
	call=0
	while :; do
		call=$((call + 1))
		LD_PRELOAD=$here/tests/kernel/killcall.so KILL_CALL=$call "$DTR" kgmon "$@" >/dev/null 2>&1
		[ $? = 137 ] || return
		kgmon -s
		echo "$(printf '%s\n' "$out" | sed -n 's/^default: //p') $(field samples)"
		prepare || return
	done
}
prepare() {
	note_pinned
	kgmon -d
	case "$status:$err" in
	0: | "1:dtr kgmon: there is no session 'default'") ;;
	*) echo "failed: $status $err" && return 1 ;;
	esac
	[ ! -e $bpffs/dtr ] || { ls -lR $bpffs/dtr; return 1; }
	[ -z "$begun" ] || "$DTR" kgmon -b
}
begun=
killed -b | sort | uniq -c >states
is "$(sed 's/ *[0-9]* //; s/[:,].* / /' states | grep -v '^interrupted 0$' | tr '\n' '.')" ' .incomplete .stopped 0.' \
	'killed -b: nothing, or a session that has not counted'
prepare
begun=1
prepare
for task in -h -r -d; do
	killed $task | sort | uniq -c >states
	is "$(sed 's/ *[0-9]* //; s/[:, ].*//' states | grep -Evc '^(|running|stopped|interrupted|incomplete)$')" 0 \
		"killed $task: a session that -d deletes"
	prepare
done
kgmon -d
wait_until nothing_held pinned
is "$(still_held pinned)" '' 'nothing is left of them'
done_testing
