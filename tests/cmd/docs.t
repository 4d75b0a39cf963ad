# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every example of the docs compiles and, where this machine can trace, runs: ```d blocks as scripts, lines of ```sh blocks
# that call dtr as they stand. Those that do not end by themselves are interrupted after half a second.
. "$SRC/tests/lib/tap.sh"

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
head -c 100000 /dev/urandom >"$work/FILE"

# dtr has begun once it would end well if it was told to (SIGTERM is blocked: it is waited for); or it has ended.
ended() { case $(cut -d ' ' -f 3 "/proc/$example/stat" 2>&1) in Z | *o\ such*) ;; *) false ;; esac; }
begun() { ended || awk '/^SigBlk/ { begun = substr($2, length($2) - 3, 1) ~ /[4-7c-f]/ } END { exit !begun }' "/proc/$example/status"; }
# Runs the command in $work/cmd.sh for half a second at most; then it is told to end, and must end well.
run_example() {
	(cd "$work" && DTR=$DTR exec sh ./cmd.sh) >"$work/out" 2>"$work/err" &
	example=$!
	children="$children $example"
	wait_until begun
	tap_i=0
	until ended || [ $tap_i -ge 10 ]; do
		sleep 0.05
		tap_i=$((tap_i + 1))
	done
	kill -TERM $example 2>/dev/null
	wait $example
	status=$?
	err=$(cat "$work/err")
}

example() { # NAME COMMAND...: compiles, then runs
	printf 'exec "$DTR" -e %s\n' "$2" >"$work/cmd.sh"
	DTR=$DTR run sh "$work/cmd.sh"
	is "$status" 0 "$1 compiles"
	[ $can_trace = 1 ] || return 0
	printf 'exec "$DTR" %s\n' "$2" >"$work/cmd.sh"
	rm -f "$work/FILE.gz"
	run_example
	between "$status" 0 7 "$1 runs"
	unlike "$err" 'error|fail' "$1 runs without a complaint"
}

for doc in README.md docs/language.md docs/profile-provider.md docs/options.md docs/json.md; do
	blocks "$SRC/$doc" d
	for b in "$work"/block.*; do
		[ -f "$b" ] || continue
		args=
		grep -q '\$1' "$b" && args=1
		example "$doc: script ${b##*.}" "-s $b $args"
	done
	blocks "$SRC/$doc" sh
	cat "$work"/block.* 2>/dev/null | sed -n 's/^[#$]* *dtr //p' >"$work/lines"
	while IFS= read -r line; do
		example "$doc: dtr $line" "$line"
	done <"$work/lines"
done
done_testing
