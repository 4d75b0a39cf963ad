#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How much longer the system calls of a traced program take: dtr trace, strace, perf trace.
#
#	trace.sh DTR [CALLS]
#
# bench/calls makes the calls, on every CPU. The time for a call is that of the best of three runs; lines: how many of
# the calls the output has.
set -u
dtr=$1 n=${2:-1000000}
program=$(dirname "$dtr")/bench/calls
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# took TITLE [TRACER...]
took() {
	title=$1 best='' lines=0
	shift
	for _ in 1 2 3; do
		rm -f "$tmp/ns" "$tmp/out"
		"$@" "$program" "$n" 1 "$tmp/ns" >/dev/null 2>&1 || { echo "| $title | fails | | |"; return; }
		read -r ns _ <"$tmp/ns"
		best=$(awk -v a="$ns" -v b="${best:-$ns}" 'BEGIN { print a < b ? a : b }')
		[ ! -e "$tmp/out" ] || lines=$(grep -c 'close(' "$tmp/out")
	done
	: "${plain:=$best}"
	echo "| $title | $best | $(awk -v a="$best" -v b="$plain" 'BEGIN { printf "%.1f", a / b }') | $lines |"
}

echo '| tracer | ns for a call | ratio | lines |'
echo '|---|---|---|---|'
took none env
took 'dtr trace -C' "$dtr" trace -f -C -o "$tmp/out"
took 'dtr trace -e getpid' "$dtr" trace -f -e getpid -o "$tmp/out"
took 'dtr trace' "$dtr" trace -f -o "$tmp/out"
took 'dtr trace -x bufsize=128m' "$dtr" trace -f -x bufsize=128m -o "$tmp/out"
! command -v strace >/dev/null || took strace strace -f -o "$tmp/out"
! command -v perf >/dev/null || took 'perf trace' perf trace -o "$tmp/out" --
