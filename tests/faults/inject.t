# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Injects faults with fixed strides (primes, so that each place gets different errors). $STRIDE=1 injects all. Each run
# waits for the kernel most of its time, so half of the faults are injected at the same time as the others.
dir=$(mktemp -d)
alloc=
trap 'kill $alloc $(cat /proc/$alloc/task/*/children 2>/dev/null) 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
inject() { # KIND STRIDE
	"$(dirname "$DTR")/tests/faults/inject" -s "${STRIDE:-$2}" "$1" >"$dir/$1" || : >"$dir/failed"
}

inject alloc 7 &
alloc=$!
for kind in 'oom 11' 'bpf 5' 'call 29'; do
	# shellcheck disable=SC2086
	inject $kind
done
wait $alloc
alloc=
n=0
for kind in alloc oom bpf call; do
	if grep '^1\.\.0' "$dir/$kind"; then exit 0; fi
	# renumber: one TAP plan for all four
	awk -v n="$n" '/^1\.\./ { next } /^(not )?ok/ { sub(/ok [0-9]+/, "ok " ++n) } { print }' "$dir/$kind"
	n=$((n + $(grep -Ec '^(not )?ok' "$dir/$kind")))
done
echo "1..$n"
[ ! -e "$dir/failed" ]
