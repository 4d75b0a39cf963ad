# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# silent: 600 s: a kind of faults is one line
# long: all of them
# Injects faults with fixed strides (primes, so that each place gets different errors). $STRIDE=1 injects all. Each run
# waits for the kernel most of its time, so the four kinds are injected at the same time.
dir=$(mktemp -d)
pids=
end() {
	# shellcheck disable=SC2046
	for pid in $pids; do kill "$pid" $(cat "/proc/$pid/task/"*/children 2>/dev/null) 2>/dev/null; done
	rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM HUP
inject() { # KIND STRIDE
	"$(dirname "$DTR")/tests/faults/inject" -s "${STRIDE:-$2}" "$1" >"$dir/$1" || : >"$dir/failed"
}

for kind in 'alloc 11' 'oom 17' 'bpf 7' 'call 43'; do
	# shellcheck disable=SC2086
	inject $kind &
	pids="$pids $!"
done
# shellcheck disable=SC2086
wait $pids
pids=
n=0
for kind in alloc oom bpf call; do
	if grep '^1\.\.0' "$dir/$kind"; then exit 0; fi
	# renumber: one TAP plan for all four
	awk -v n="$n" '/^1\.\./ { next } /^(not )?ok/ { sub(/ok [0-9]+/, "ok " ++n) } { print }' "$dir/$kind"
	n=$((n + $(grep -Ec '^(not )?ok' "$dir/$kind")))
done
echo "1..$n"
[ ! -e "$dir/failed" ]
