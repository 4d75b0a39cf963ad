#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr kprof: its shares compared with known loads and with the kernel's own idle times; its options and ends.
# tests/unit/test_shares tests its tables on known samples.
. "$SRC/tests/lib/tap.sh"
busy=$here/tests/kernel/busy

# ---- options ----
usage() { # TEXT ARGUMENT...
	want=$1
	shift
	run "$DTR" kprof "$@"
	is "$status $err" "2 dtr kprof: $want (see dtr kprof -h)" "error: $*"
}
usage '-a cannot be combined with -p or -c' -a -c true
usage '-m cannot be combined with --stack' -m --stack
usage '-l cannot be combined with -m' -l -m
usage "unexpected argument 'x'" x
usage 'unknown option --modules' --modules
usage 'option -F needs a value' -F
run "$DTR" kprof -F often
like "$status:$err" "^2:dtr kprof: invalid rate 'often'" 'error: an invalid rate'
run "$DTR" kprof -t soon
like "$status:$err" "^2:dtr kprof: invalid period 'soon'" 'error: an invalid period'
run "$DTR" kprof -c ./nowhere
like "$status:$out:$err" '^1::dtr: failed to execute ./nowhere: No such file or directory' 'error: no such command'
for v in off all group; do
	run "$DTR" -e -x "shares=$v" -n BEGIN
	is "$status:$err" 0: "-x shares=$v"
done
run "$DTR" kprof -t 1 -O folded
is "$status:$out:$err" '1::dtr: shares (-x shares) cannot be shown in this format (-O): use text, json or html' \
	'a format without shares: one message'
run "$DTR" -e -x shares -n BEGIN
is "$status:$err" "2:dtr: option 'shares' needs a value" 'error: -x shares alone'
rate() { "$DTR" -l -s "$DTR_SHARE/tools/kprof.d" "$@" | awk '$3 ~ /^profile-/ { print $3 }' | sort -u; }
is "$(rate)" profile-997 'the default rate'
is "$(rate 1s 199)" profile-199 'another rate'
run "$DTR" kprof -F 199 -e
is "$status:$err" 0: '-e compiles'

need_kernel

begin() { # OPTION...: starts a profile and waits until it has begun; sets $profiler
	rm -f "$work/out"
	"$DTR" kprof "$@" -n 'BEGIN { printf("begun\n"); }' >"$work/out" 2>"$work/err" &
	profiler=$!
	children="$children $profiler"
	wait_for begun "$work/out"
}
# number FIELD NAME: a column of the row with this name; 0 if there is none
number() {
	printf '%s\n' "$out" | awk -v f="$1" -v name="$2" '$NF == name && $3 == "%" { n = $f } END { print n + 0 }'
}
samples() { printf '%s\n' "$out" | awk '/^Samples: / { sub(/,/, "", $2); print $2 }'; }
lost() { printf '%s\n' "$out" | awk '/^Samples: / { print $3 + 0 }'; }
value() { printf '%s\n' "$out" | awk -v k="$1" '$1 == k && NF == 2 { print $2 }'; }

# ---- a load of 1200 ms in user code and 800 ms in the kernel ----
# The share of "user" may differ from that of the times by 5.5 standard deviations (once in 25 million runs), by the
# samples that were lost, by the time that the program was held, and by 4 % for interrupts and the clock that it reads.
load() { # NAME OPTION...
	load_name=$1
	shift
	run "$DTR" kprof "$@" -c "$busy split 1200 800"
	is "$status" 0 "$load_name"
	awk -v user="$(number 1 user)" -v n="$(samples)" -v lost="$(lost)" -v ran="$(value ran)" \
		-v held="$(value held)" 'BEGIN {
		p = 1200 / ran
		d = user / n - p
		most = 5.5 * sqrt(p * (1 - p) / n) + lost / n + held / ran + 0.04
		print "user", user, "of", n, "lost", lost, "ran", ran, "held", held, "off", d, "at most", most
		exit !(n > 0 && d <= most && -d <= most)
	}' >"$work/bounds"
	ok $? "$load_name: the share of user code" "$(cat "$work/bounds")" "$out"
}
load 'a process'
# Each ms has 0.997 samples. Those of the shell that starts the program are not in its time.
awk -v n="$(samples)" -v lost="$(lost)" -v ran="$(value ran)" -v held="$(value held)" 'BEGIN {
	due = ran * 0.997
	slack = 5.5 * sqrt(due) + 0.01 * due
	print "samples", n, "lost", lost, "due", due, "held", held
	exit !(n <= due + slack + held && n + lost >= due - slack - held)
}' >"$work/bounds"
ok $? 'as many samples as intervals of its run time' "$(cat "$work/bounds")"
like "$out" '^Source: a timer on each CPU\.$' 'the source is named'
like "$out" '^It cannot see code that runs with interrupts off' 'what it cannot see'
is "$(number 1 idle)" 0 'a process is never idle'
bad=$(printf '%s\n' "$out" | awk '$3 == "%" && $5 == ".." && ($2 < $4 - 0.01 || $2 > $6 + 0.01) { print }')
is "$bad" '' 'each share is in its interval'
is "$(printf '%s\n' "$out" | awk '$3 == "%" && $5 == ".." { n += $1 } END { print n }')" "$(samples)" \
	'the rows add up to the number of samples'
bad=$(printf '%s\n' "$out" | awk '$3 == "%" && $5 == ".." {
	tied = seen && $6 + 0.005 >= low - 0.005; clear = !seen || $6 - 0.005 < low - 0.015
	if (($8 == "~") && !tied || ($8 != "~") && !clear && $6 > low) print
	seen = 1; low = $4 }')
is "$bad" '' 'exactly the rows are marked whose intervals overlap that of the row above'
load 'a process, by module' -m
between "$(printf '%s\n' "$out" | grep -c 'vmlinux$')" 1 1 'one row for the kernel'
unlike "$out" '`' 'modules have no routines'
# Kernels of distributions have their debugging information in a package of its own, which may be installed.
load 'a process, by line' -l
case $err in
*vmlinux*) like "$out" ' vmlinux`[a-z_0-9.]+$' '-l without lines: routines' ;;
*) like "$out" ' vmlinux`[a-z_0-9.]+ \[[^]]+:[0-9]+\]$' '-l: lines of the kernel' ;;
esac

# FUNCTION: writes vmlinux, a file with debugging information for one function of the running kernel: lines 6 and 8 of
# known.s for its halves. Addresses without their upper half: the shell has 63 bits.
make_vmlinux() {
	id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' |
		sed -n 's/.*040000001400000003000000474e5500\(.\{40\}\).*/\1/p')
	# shellcheck disable=SC2046 # words
	set -- $(awk '$2 ~ /[tT]/ && NF == 3 { print $1, $3 }' /proc/kallsyms | sort | awk -v name="$1" '
		$2 == "_stext" { print $1 }
		on && $1 != at { print at, $1; exit }
		$2 == name { on = 1; at = $1 }')
	[ $# = 3 ] && [ -n "$id" ] || return
	stext=$((0x${1#ffffffff})) at=$((0x${2#ffffffff})) size=$((0x${3#ffffffff} - 0x${2#ffffffff}))
	{
		printf '\t.section .first, "ax"\n\t.globl _stext\n_stext:\n\tnop\n\t.section .known, "ax"\n'
		printf '\tnop\n\t.skip %d, 0x90\n' $((size / 2 - 1)) $((size - size / 2 - 1))
	} >known.s
	known=$(printf '0xffffffff%08x' $((0x81000000 + at - stext)))
	as -g -o known.o known.s && ld --build-id="0x$id" --section-start=.first=0xffffffff81000000 \
		--section-start=.known="$known" -e _stext -o vmlinux known.o
}
calls='dd if=/dev/zero of=/dev/null bs=1 count=2000000 status=none'
top=$("$DTR" kprof -c "$calls" 2>/dev/null | sed -n 's/.* vmlinux`\([a-z_0-9]*\)$/\1/p' | head -n 1)
if [ "$(uname -m)" = x86_64 ] && any_of as && any_of ld && [ -d /usr/lib/debug ] &&
	(cd "$work" && make_vmlinux "$top") && unshare -m mount -t tmpfs none /usr/lib/debug 2>/dev/null; then
	run unshare -m sh -c 'mount -t tmpfs none /usr/lib/debug && mkdir /usr/lib/debug/boot &&
		cp "$1/vmlinux" "/usr/lib/debug/boot/vmlinux-$(uname -r)" && shift && exec "$@"' sh "$work" \
		"$DTR" kprof -l -c "$calls"
	is "$status:$(printf '%s\n' "$err" | grep -c vmlinux)" 0:0 '-l with a file for the kernel: no warning'
	like "$out" " vmlinux\`$top \\[known.s:[68]\\]\$" '-l: the line of a routine'
	unlike "$out" " vmlinux\`$top\$" '-l: each of its samples has a line'
	is "$(printf '%s\n' "$out" | grep -F '[known.s' | grep -cv "\`$top ")" 0 '-l: no other routine has lines'
else
	skip '-l with a file for the kernel' 'no assembler, no mounts, or no build ID'
fi
# With the cycle counter there are no losses to compare; most virtual machines have none.
if "$DTR" -x profsrc=help | grep -A 3 cycles | grep -q 'not available'; then
	skip 'profsrc=cycles' 'no cycle counter'
	run "$DTR" kprof -x profsrc=cycles -c true
	like "$status:$err" '^1:dtr: failed to enable .*no performance counters' 'error: no cycle counter'
else
	load 'with the cycle counter' -x profsrc=cycles
	like "$out" '^Source: interrupts of the cycle counter' 'the source is the cycle counter'
	like "$out" '^They cannot see CPUs that are halted' 'what the cycle counter cannot see'
fi

# ---- the whole machine: idle time as the kernel counts it ----
idle_ms() { awk '$1 == "cpu" { print ($5 + $6) * 10 }' /proc/stat; }	# in units of 10 ms
from=$(idle_ms)
begin
inner=$(idle_ms)
sleep 2
inner=$(($(idle_ms) - inner))
kill -INT $profiler
wait $profiler
is $? 0 'Ctrl-C ends it'
outer=$(($(idle_ms) - from))
out=$(cat "$work/out") err=$(cat "$work/err")
like "$out" '^Samples: [1-9]' 'Ctrl-C: the table is printed'
ncpu=$(nproc)
awk -v idle="$(number 1 idle)" -v lost="$(lost)" -v inner=$inner -v outer=$outer -v cpus="$ncpu" 'BEGIN {
	ms = idle / 0.997
	slack = 5.5 * sqrt(outer) + 20 * cpus		# /proc/stat is two ticks late at most, on each CPU
	print idle, "samples, lost", lost, "idle ms", ms, "at least", inner - slack - lost, "at most", outer + slack
	exit !(ms >= inner - slack - lost && ms <= outer + slack)
}' >"$work/bounds"
ok $? 'idle samples are the idle time of /proc/stat' "$(cat "$work/bounds")"
run "$DTR" kprof --by-cpu -m -t 300ms
is "$status" 0 '-t ends it'
is "$(printf '%s\n' "$out" | grep -c '^CPU [0-9]')" "$(printf '%s\n' "$out" | grep -c '^Samples: ')" \
	'--by-cpu: each CPU has its own sum'
between "$(printf '%s\n' "$out" | grep -c '^CPU [0-9]')" 1 "$ncpu" '--by-cpu: one table for each CPU'

# ---- formats ----
run "$DTR" kprof -O json -o "$work/json" -c "$busy split 100 100"
"$here/tests/lib/jsonlines" <"$work/json" >"$work/lines" 2>&1
ok $? '-O json writes JSON' "$(head -n 3 "$work/lines")"
like "$(cat "$work/json")" '"type":"share","aggregation":"_","group":null,"name":"user","count":[0-9]+,"share":0\.' \
	'-O json: shares'
like "$(cat "$work/json")" '"type":"shares".*"lost":[0-9]+,"source":"a timer on each CPU","blind":"It' \
	'-O json: losses and the source'
run "$DTR" kprof -O html -o "$work/page" -c "$busy split 100 100"
like "$(cat "$work/page")" '<td class="text">user</td>' '-O html: a page'
like "$(cat "$work/page")" '<p>Samples: [0-9]+, [0-9]+ lost' '-O html: losses'
run "$DTR" kprof --stack -c "$busy split 100 100"
like "$out" '^kernel;.*`.*;.* [0-9]+$' '--stack: stacks of the kernel, one per line'
like "$out" '^user [0-9]+$' '--stack: user code is one row'
run "$DTR" kprof --stack --by-cpu -c "$busy split 100 100"
like "$out" '^[0-9]+;kernel;' '--stack --by-cpu: stacks of each CPU'
run "$DTR" kprof --stack -O html -o "$work/flame" -c "$busy split 100 100"
like "$(cat "$work/flame")" '"unit":"samples"' '--stack -O html: a flame graph'

# ---- ends ----
sleep 1000 &
sleeper=$!
children="$children $sleeper"
begin -p $sleeper
kill -INT $profiler
wait $profiler
is "$?:$(grep -c '^Samples: 0' "$work/out")" 0:1 'a process that never runs: no samples'
begin
holds $profiler >"$work/held"
between "$(grep -c . "$work/held")" 3 1000 'it holds programs and maps'
run "$DTR" kprof -c "$busy split 100 0"
is "$status:$(number 1 idle)" 0:0 'two at once'
kill -9 $profiler
wait $profiler 2>/dev/null
wait_until nothing_held "$work/held"
is "$(still_held "$work/held")" '' 'kill -9: nothing is left'
stop $sleeper

# ---- without privilege ----
run "$here/tests/kernel/as_user" "$DTR" kprof -c "$busy split 400 200"
if printf '%s\n' "$out" | grep -q '^Source: timers of perf events\.$'; then
	is "$status" 0 'as an ordinary user'
	between "$(number 1 user)" 1 1000000 'as an ordinary user: user code'
	like "$out" '`' 'as an ordinary user: the kernel'
else
	like "$status:$out" '^0:.*' 'as an ordinary user, without perf events'
	unlike "$out" ' user$' 'without perf events: nothing is called user code'
fi
run "$here/tests/kernel/as_user" "$DTR" kprof -x profsrc=cycles -c true
like "$status:$err" "^1:.*option 'profsrc': only cpu-clock is available without BPF" 'error: profsrc=cycles without BPF'
run "$here/tests/kernel/as_user" noperf notrace "$DTR" kprof -c "$busy split 400 0"
like "$out" '^Source: run times of threads in /proc\.$' 'by /proc: the source is named'
like "$out" ' \(unknown\)$' 'by /proc: no program counters'
run "$here/tests/kernel/as_user" noperf "$DTR" kprof -c "$busy split 400 0"
like "$out" '^Source: stops of the running threads \(ptrace\)\.$' 'by ptrace: the source is named'
like "$out" ' user$' 'by ptrace: user code'
done_testing
