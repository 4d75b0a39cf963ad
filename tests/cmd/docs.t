# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every example in the docs compiles and, if this machine can trace, runs: ```d blocks as scripts, and the lines of
# ```sh blocks that call dtr as commands. Examples that do not end by themselves are interrupted after 0.2 s.
. "$SRC/tests/lib/tap.sh"
known_calls

# blocks FILE LANGUAGE: writes each fenced block of that language to $work/block.N
blocks() {
	rm -f "$work"/block.*
	awk -v lang="$2" -v out="$work/block." '
		$0 == "```" lang { n++; on = 1; next }
		/^```/ { on = 0 }
		on { print > (out sprintf("%03d", n)) }' "$1"
}

can_trace=1
"$here/tests/kernel/can_bpf" >/dev/null || can_trace=0
# What the examples need: a file, a program, a build. The commands `dtr` and `ssh host` run as written.
cd "$work" || exit 1
head -c 100000 /dev/urandom >FILE
cp "$here/tests/kernel/known" program
mkdir bin
printf '#!/bin/sh\nexec "$DTR" "$@"\n' >bin/dtr
printf '#!/bin/sh\nshift\nexec "$@"\n' >bin/ssh
printf '#!/bin/sh\nexec "%s" split 100 0\n' "$here/tests/kernel/busy" >bin/make
chmod +x bin/*
PATH=$work/bin:$PATH
export DTR PATH

# dtr has begun when it handles SIGTERM (which it blocks and waits for), or when it has ended.
ended() { case $(cut -d ' ' -f 3 "/proc/$example/stat" 2>&1) in Z | *o\ such*) ;; *) false ;; esac; }
begun() { ended || awk '/^SigBlk/ { begun = substr($2, length($2) - 3, 1) ~ /[4-7c-f]/ } END { exit !begun }' \
	"/proc/$example/status"; }
# Runs the command in $work/cmd.sh for at most N / 20 s, then sends SIGTERM, after which it must exit normally.
run_for() { # N
	sh ./cmd.sh >"$work/out" 2>"$work/err" </dev/null &
	example=$!
	children="$children $example"
	wait_until begun
	tap_i=0
	until ended || [ $tap_i -ge "$1" ]; do
		sleep 0.05
		tap_i=$((tap_i + 1))
	done
	kill -TERM $example 2>/dev/null
	wait_until ended
	kill -KILL $example 2>/dev/null
	wait $example
	status=$?
	err=$(cat "$work/err")
}
# SIGTERM ends a dtr whose probes are not enabled yet: on a busy machine it needs more time.
run_example() {
	for ticks in 4 40 400; do
		run_for $ticks
		[ $status = 143 ] || break
	done
}

# The permitted exit statuses of an example: 0 and the arguments of exit() in it.
statuses() { printf '%s\n' "$1" | awk '{ s = "^(0"; while (match($0, /exit\([0-9]+\)/)) {
	s = s "|" substr($0, RSTART + 5, RLENGTH - 6); $0 = substr($0, RSTART + RLENGTH) } print s ")$" }'; }

example() { # NAME ARGUMENTS TEXT: compiles if the first argument is an option of a script, then runs
	case $2 in
	-r* | [!-]*) ;;
	*)
		printf 'exec "$DTR" -e %s\n' "$2" >cmd.sh
		run sh ./cmd.sh
		is "$status:$out" 0: "$1 compiles"
		;;
	esac
	examples=$((examples + 1))
	[ $can_trace = 1 ] || { skip "$1 runs" 'BPF is not available'; return 0; }
	printf 'exec "$DTR" %s\n' "$2" >cmd.sh
	rm -f FILE.gz
	run_example
	case $err in *'stopped: tracing cost'*) status=0 ;; esac # -x maxcost, on a busy machine
	like "$status" "$(statuses "$(echo "$3" | tr '\n' ' ')")" "$1 runs"
	unlike "$status:$err" 'error|fail' "$1 reports no error"
}

examples=0
for doc in $(cd "$SRC" && grep -lE '^```(d|sh)$' README.md docs/*.md); do
	before=$examples
	blocks "$SRC/$doc" d
	for b in "$work"/block.*; do
		[ -f "$b" ] || continue
		args=
		grep -q '\$1' "$b" && args=1
		example "$doc: script ${b##*.}" "-s $b $args" "$(cat "$b")"
	done
	blocks "$SRC/$doc" sh
	cat "$work"/block.* 2>/dev/null >blocks
	sed -n 's/^[#$]* *\(ssh host \)*dtr //p' blocks >lines
	while IFS= read -r line; do
		example "$doc: dtr $line" "$line" "$line"
		# use the file saved by one example for the other days
		[ ! -f monday ] || { cp monday tuesday && cp monday wednesday; }
	done <lines
	between $((examples - before)) 1 1000 "$doc has examples"
done
between $examples 80 1000 'the docs have examples'
done_testing
