# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A truncated stack begins with [truncated] in pictures and has a member for it in JSON; a complete stack does not.
. "$SRC/tests/lib/tap.sh"
need_kernel
deep=$here/tests/picture/deep
limit=$(cat /proc/sys/kernel/perf_event_max_stack)

# Prints the number of frames of the most frequent stack of $out (folded). Sets $root to its first frame.
stack_of() {
	set -- $(printf '%s\n' "$out" | awk '{ v = $NF; sub(/ [0-9]+$/, "") } /;deep`spin$/ && v > best { best = v;
		line = $0 }
		END { print split(line, f, ";"), f[1] }')
	frames=$1
	root=${2-}
}
cut_to() { # N NAME: N frames after the mark
	stack_of
	is "$frames $root" "$(($1 + 1)) [truncated]" "$2"
}
whole() { # N NAME: N frames and no mark
	stack_of
	is "$frames $(printf '%s\n' "$out" | grep -c 'truncated.*;deep`spin ')" "$1 0" "$2"
}
trace() { # DEPTH FRAMES [OPTION...]: leaves the folded stacks of a program
	tap_depth=$1 tap_frames=$2
	shift 2
	run "$DTR" -x ledger=off "$@" -O folded -o "$work/folded" -c "$deep $tap_depth 150" \
		-qn "profile-997 /pid == \$target/ { @[ustack($tap_frames)] = count(); }"
	out=$(cat "$work/folded")
	rm -f "$work/folded"
}

for engine in bpf user; do
	[ $engine = user ] || with_bpf 'the kernel'"'"'s engine' || continue
	trace 10 100 -x engine=$engine
	stack_of
	all=$frames
	between "$all" 12 40 "$engine: all frames of a program"
	whole "$all" 'a complete stack has no mark'
	trace 10 $all -x engine=$engine
	whole "$all" 'a limit equal to the number of frames: not truncated'
	trace 10 $((all - 1)) -x engine=$engine
	cut_to $((all - 1)) 'a limit of one less: the mark replaces the root'
	trace 10 1 -x engine=$engine
	cut_to 1 'one frame'
	trace 10 100 -x engine=$engine -x maxframes=5
	cut_to 5 'maxframes'
	trace 400 100 -x engine=$engine
	cut_to 100 'a deep stack'
done
if with_bpf 'what the kernel collects'; then
	trace 400 1000 -x engine=bpf -x maxframes=1000 -x unwind=fp
	cut_to "$limit" 'more frames than the kernel collects'
	trace 400 1000 -x engine=bpf -x maxframes=1000
	stack_of
	between "$frames" 402 430 'unwinding tables in the kernel give all frames'
fi
trace 400 1000 -x engine=user -x maxframes=1000 -x unwind=fp
cut_to "$limit" 'the same with perf events'
trace 400 1000 -x engine=user -x maxframes=1000 -x unwindsize=60k
stack_of
between "$frames" 402 430 'unwinding tables give all frames'
is "$root:$(printf '%s\n' "$out" | grep -c 'truncated.*;deep`spin ')" 'deep`_start:0' 'none is truncated'
trace 400 1000 -x engine=user -x maxframes=1000 -x unwindsize=1k
stack_of
is "$root" '[truncated]' 'a copy of the stack that is too short'

# ---- the kernel's
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'the kernel'"'"'s engine' || continue
	run "$DTR" -x ledger=off -x engine=$engine -O folded -o "$work/folded" -c \
		'dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none' \
		-qn 'profile-997 /pid == $target && arg0/ { @one[stack(1)] = count(); @all[stack(127)] = count(); }'
	out=$(cat "$work/folded")
	rm -f "$work/folded"
	like "$out" '^@one;\[truncated\];[^;]* [0-9]+$' "$engine: one frame of the kernel's stack is marked"
	# Samples in BPF programs of other sessions are left out.
	is "$(printf '%s\n' "$out" | awk '/^@one;[^;]*$/ && !/bpf`/ { n += $NF } END { print n + 0 }')" \
		"$(printf '%s\n' "$out" | awk '/^@all;[^;]*$/ && !/bpf`/ { n += $NF } END { print n + 0 }')" \
		'but not if it has only one'
	is "$(printf '%s\n' "$out" | grep '^@all;\[truncated\]')" '' 'with all frames it is not marked'
done

# ---- recordings
run "$DTR" record -qg -x engine=user -F 997 -o "$work/10.rec" -c "$deep 10 150"
run "$DTR" record -qg -F 997 -o "$work/400.rec" -c "$deep 400 150"
ask() { # RECORDING FRAMES
	run "$DTR" -O folded -qr "$work/$1" -x maxframes=1000 -n "profile-997 /execname == \"deep\"/ {
		@[ustack($2)] = count(); }"
}
ask 10.rec 100
stack_of
all=$frames
whole "$all" 'a recorded stack'
ask 10.rec $all
whole "$all" 'a query for all its frames'
ask 10.rec $((all - 1))
cut_to $((all - 1)) 'a query for one less'
ask 400.rec 1000
cut_to "$limit" 'truncated when it was recorded'
if command -v perf >/dev/null; then
	perf record -q -e cpu-clock/max-stack=9/ -F 997 -g -o "$work/perf.data" "$deep" 10 150 >/dev/null 2>&1
	run "$DTR" -O folded -qr "$work/perf.data" -n 'profile-997 { @[ustack()] = count(); }'
	cut_to 9 'perf.data: truncated at max-stack'
	perf record -q -F 997 -g -o "$work/perf.data" "$deep" 10 150 >/dev/null 2>&1
	run "$DTR" -O folded -qr "$work/perf.data" -n 'profile-997 { @[ustack()] = count(); }'
	stack_of
	whole "$frames" 'not where it is complete'
fi

# ---- formats
program='profile-997 /execname == "deep"/ { @[ustack(3)] = count(); }'
run "$DTR" -qr "$work/10.rec" -x aggsave="$work/agg" -n "$program"
unlike "$out" 'truncated' 'text is as in DTrace'
like "$out" 'deep`spin' 'text has the frames'
text=$out
run "$DTR" merge "$work/agg" "$work/agg"
is "$(printf '%s\n' "$out" | grep '`' | sort)" "$(printf '%s\n' "$text" | grep '`' | sort)" \
	'saved stacks: the same frames as text'
run "$DTR" merge -O folded "$work/agg"
cut_to 3 'saved stacks: the mark in pictures'
for format in html speedscope json; do
	run "$DTR" -O $format -qr "$work/10.rec" -n "$program"
	like "$out" 'truncated' "$format has the mark"
done
like "$out" '"symbol":"deep`down\+0x[0-9a-f]*"\}\],"truncated":true\}' 'JSON: a member of the stack'
run "$DTR" merge -O json "$work/agg"
like "$out" '"symbol":"deep`down\+0x[0-9a-f]*"\}\],"truncated":true\}' 'JSON of a saved stack'
run "$DTR" -O json -qr "$work/10.rec" -n 'profile-997 /execname == "deep"/ { @[ustack()] = count(); }'
unlike "$(printf '%s\n' "$out" | grep 'deep`main')" 'truncated' 'a complete stack does not have the member'
run "$DTR" -O pprof -o "$work/pb.gz" -qr "$work/10.rec" -n "$program"
"$here/tests/lib/profileshow" <"$work/pb.gz" >"$work/out"
like "$(cat "$work/out")" '^\[truncated\];down@deep;' 'pprof'
run "$DTR" -qr "$work/10.rec" -n "#pragma D option oformat=folded
$program"
cut_to 3 'a format selected by the script'
done_testing
