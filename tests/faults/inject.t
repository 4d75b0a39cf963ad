# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Injects faults with fixed strides (primes, so that each place gets different errors). $STRIDE=1 injects all.
n=0
status=0
log=$(mktemp)
for kind in 'alloc 7' 'oom 11' 'bpf 5' 'call 29'; do
	set -- $kind
	"$(dirname "$DTR")/tests/faults/inject" -s "${STRIDE:-$2}" "$1" >"$log" || status=1
	if grep '^1\.\.0' "$log"; then rm -f "$log"; exit 0; fi
	# renumber: one TAP plan for all four
	awk -v n="$n" '/^1\.\./ { next } /^(not )?ok/ { sub(/ok [0-9]+/, "ok " ++n) } { print }' "$log"
	n=$((n + $(grep -Ec '^(not )?ok' "$log")))
done
rm -f "$log"
echo "1..$n"
exit $status
