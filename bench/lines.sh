# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For bench/run: `lines`, the count of every executed line of bench/lines.c.

lines_script() { # PROCEDURES
	echo "line\$target:lines.c:$1*: { @[probemod, probefunc, probename] = count(); }"
}

# A breakpoint at each line that dtr counts, which gdb ignores as often as it can.
lines_breakpoints() { # PROGRAM PROCEDURES
	"$build/dtr" -ln "line\$target:lines.c:$2*:" -c "$1 none 0" 2>/dev/null |
		awk '$2 ~ /^line/ { print $NF }' | sort -nu |
		awk '{ print "break lines.c:" $1; print "ignore " NR " 2000000000" }'
	echo run
}

# lines_time TOOL COMMAND...: adds the time of one turn in ns to a file.
lines_time() {
	tool=$1
	shift
	"$@" 2>/dev/null | grep -E '^[0-9]+\.[0-9]$' >>"$tmp/time.$tool" || true
}

# The smallest one, because other work on the machine can only make it longer; "-": no such tool.
lines_best() { # TOOL
	[ ! -s "$tmp/time.$1" ] && echo - || sort -n "$tmp/time.$1" | head -n 1
}

# Firings and executed lines of one turn: "FIRINGS LINES".
lines_firings() { # PROGRAM KIND TURNS OPTION
	"$build/dtr" -q $4 -x cost -o "$tmp/counts" -n "$(lines_script "work_$2")" -c "$1 $2 $3" \
		2>"$tmp/cost" >/dev/null
	awk -v turns="$3" 'NR == FNR { lines += $NF; next } $1 ~ /^[0-9]+$/ { n += $2 }
		END { print n / (turns + 1), lines / (turns + 1) }' "$tmp/counts" "$tmp/cost"
	rm -f "$tmp/counts"
}

lines_round() { # PROGRAM KIND: every tool once, with as many turns as take about a second
	lines_time plain "$1" "$2" $((n * 2000))
	lines_time each "$build/dtr" -q -n "$script" -c "$1 $2 $n"
	lines_time block "$build/dtr" -q -x lineblocks -n "$script" -c "$1 $2 $((n * 5))"
	! have gdb || lines_time gdb gdb -nx -batch -x "$tmp/breakpoints" --args "$1" "$2" $((n / 20))
	! have valgrind || lines_time callgrind valgrind --tool=callgrind \
		--callgrind-out-file="$tmp/callgrind" "$1" "$2" $((n * 100))
}

lines_row() { # PROGRAM KIND TITLE
	n=${TURNS:-100}
	script=$(lines_script "work_$2")
	each=$(lines_firings "$1" "$2" "$n" '')
	block=$(lines_firings "$1" "$2" "$n" '-x lineblocks')
	! have gdb || lines_breakpoints "$1" "work_$2" >"$tmp/breakpoints"
	rm -f "$tmp"/time.*
	for round in $(seq "${ROUNDS:-5}"); do
		lines_round "$1" "$2"
	done
	echo "$3|$each|$block|$(lines_best plain)|$(lines_best each)|$(lines_best block)|$(lines_best gdb)|$(
		lines_best callgrind)" | awk -F'|' '
		function times(t) { return t == "-" ? t : sprintf("%.0f", t / $4) }
		{
			split($2, each, " "); split($3, block, " ")
			printf "| %s | %.0f | %.2f | %.2f | %.0f | %s | %s | %s | %s |\n", $1, each[2],
				each[1] / each[2], block[1] / block[2], $4, times($5), times($6), times($7), times($8)
		}'
}

# The last four columns: how many times as long as without a tool one turn takes.
bench_lines() {
	have cc || return 0
	echo '| | lines a turn | firings a line | with blocks | ns a turn | dtr | dtr, blocks | gdb | callgrind |'
	echo '|---|---|---|---|---|---|---|---|---|'
	for level in 0 2; do
		cc -O$level -g -o "$tmp/lines$level" "$dir/lines.c"
		lines_row "$tmp/lines$level" straight "straight lines, -O$level"
		lines_row "$tmp/lines$level" branches "branches and calls, -O$level"
	done
}
