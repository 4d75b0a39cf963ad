# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2086 # $bpftrace is several words
# Parts of bench/run: probes in processes. Values are medians of rounds in which all commands take turns.

# column FILE N: the median of a column.
column() { sort -n -k "$2" "$1" | awk -v k="$2" '{ v[NR] = $k } END { if (NR) print v[int((NR + 1) / 2)] }'; }
# rated VALUE MOST: whether a goal is met.
rated() { awk -v v="$1" -v most="$2" 'BEGIN { print(v == "" ? "" : v + 0 > most + 0 ? "missed" : "met") }'; }

# The time until all entries of libc are armed in a command, and from its end to that of the tracer.
programs_arming() {
	libc=$(ldd /bin/sh | awk '/libc\.so/ { print $3 }')
	echo "exec date +%s%N >$tmp/armed" >"$tmp/now"
	rm -f "$tmp"/*.ms
	tracer=$bpftrace
	[ -z "$tracer" ] || timeout 60 env BPFTRACE_MAX_PROBES=20000 $tracer -e "uprobe:$libc:* { @ = count(); }" \
		-c /bin/true 2>&1 | grep -q '^@: [1-9]' || { echo "bpftrace fails, or takes a minute"; tracer=; }
	i=0
	while [ $i -lt "${RUNS:-9}" ]; do
		armed sh -c '$0' >>"$tmp/none.ms"
		armed "$build/dtr" -qn 'pid$target:libc::entry { @ = count(); }' -c >>"$tmp/dtr.ms"
		[ -z "$tracer" ] || armed env BPFTRACE_MAX_PROBES=20000 $tracer -e \
			"uprobe:$libc:* { @ = count(); }" -c >>"$tmp/bpftrace.ms"
		i=$((i + 1))
	done
	n=$("$build/dtr" -l -n 'pid$target:libc::entry' -c /bin/true | grep -c ' entry$')
	echo "| $n entries of libc | armed after ms | goal | ended after further ms | goal |"
	echo '|---|---|---|---|---|'
	for what in none dtr bpftrace; do
		[ -s "$tmp/$what.ms" ] || continue
		awk '{ print $1, $2 - $1 }' "$tmp/$what.ms" >"$tmp/$what.two"
		a=$(column "$tmp/$what.two" 1) e=$(column "$tmp/$what.two" 2)
		echo "| $what | $a | 500 $(rated "$a" 500) | $e | 200 $(rated "$e" 200) |"
	done
}

# The entries of a large library in a process, and the returns, for which its functions are decoded.
programs_listing() {
	library=
	for f in /usr/lib/llvm-*/lib/libLLVM*.so.1 /usr/lib/*/libLLVM*.so.*; do
		[ ! -f "$f" ] || library=$f
	done
	[ "$library" ] || return 0
	echo "the functions of $(basename "$library"), $(($(stat -Lc %s "$library") / 1000000)) MB"
	cp "$library" "$tmp/library.so"
	library=$tmp/library.so
	LD_PRELOAD=$library sleep 1000 &
	pid=$!
	sleep 1
	set -- "dtr -l pid:::entry" "$build/dtr" -l -n "pid$pid:::entry" \
		-- "dtr -l pid:::entry, return" "$build/dtr" -l -n "pid$pid:::entry,pid$pid:::return"
	[ -z "$bpftrace" ] || set -- "$@" -- "bpftrace -l uprobe:*" $bpftrace -l "uprobe:$library:*"
	"$build/bench/startup" "${RUNS:-5}" "$@"
	kill $pid
	rm "$library"
}

# firing TITLE COMMAND...: appends the time of a call of bench/called to a list. {} is the command.
firing() {
	title=$1
	shift
	rm -f "$tmp/called.out"
	"$@" >/dev/null 2>&1
	echo "$title|$(cat "$tmp/called.out")" >>"$tmp/firings"
}

programs_firing() {
	cp "$build/bench/called" "$tmp"
	clang -O2 -g -target bpf -DTARGET="\"$tmp/called:called_plain\"" -I"/usr/include/$(uname -m)-linux-gnu" -c \
		"$dir/uprobe.bpf.c" -o "$tmp/uprobe.o"
	n="$tmp/called ${CALLS:-42000} $tmp/called.out"
	rm -f "$tmp/firings"
	i=0
	while [ $i -lt "${ROUNDS:-7}" ]; do
		firing none $n
		at='pid$target:a.out:called_plain'
		firing 'entry C' "$build/bench/peer" "$tmp/uprobe.o" at_entry -c $n
		firing 'entry dtr' "$build/dtr" -qn "$at:entry { @ = count(); }" -c "$n"
		firing 'return C' "$build/bench/peer" "$tmp/uprobe.o" at_return -c $n
		firing 'return dtr' "$build/dtr" -qn "$at:return { @ = count(); }" -c "$n"
		firing 'uretprobe dtr' "$build/dtr" -x uretprobe -qn "$at:return { @ = count(); }" \
			-c "$n"
		if [ "$bpftrace" ]; then
			at=$tmp/called:called_plain
			firing 'entry bpftrace' $bpftrace -e "uprobe:$at { @ = count(); }" -c "$n"
			firing 'return bpftrace' $bpftrace -e "uretprobe:$at { @ = count(); }" -c "$n"
		fi
		i=$((i + 1))
	done
	sort -t'|' -k1,1 -k2,2n "$tmp/firings" | awk -F'|' '
		{ v[$1, ++n[$1]] = $2 }
		function middle(t) { return n[t] ? v[t, int((n[t] + 1) / 2)] - v["none", int((n["none"] + 1) / 2)] : 0 }
		function row(title, dtr, most) {
			printf "%-34s %8.0f %8.0f %8.0f %8.2f  %.2f of C: %s\n", title, middle(dtr), middle(kind " C"),
				middle(kind " bpftrace"), middle(dtr) / middle(kind " C"), most,
				(middle(dtr) > most * middle(kind " C") ? "missed" : "met")
		}
		END {
			printf "%-34s %8s %8s %8s %8s  %s\n", "net ns of a firing, @ = count()", "dtr", "C", "bpftrace",
				"dtr/C", "goal"
			kind = "entry"; row("entry", "entry dtr", 1.1)
			kind = "return"; row("return, at the instruction", "return dtr", 1)
			row("return, -x uretprobe", "uretprobe dtr", 1.05)
		}'
}

# MEAN of a function by dtr prog, with and without the cost of the probes, beside the time that it takes untraced.
programs_net() {
	echo '| ns a call, untraced | dtr prog | dtr prog --net | difference, % of the cost of a call |'
	echo '|---|---|---|---|'
	for loops in 0 1000 10000 100000; do
		rm -f "$tmp"/*.mean
		for _ in 1 2 3 4 5; do
			"$build/bench/called" 2100 "$tmp/called.out" $loops
			cat "$tmp/called.out" >>"$tmp/none.mean"
			for net in '' --net; do
				"$build/dtr" prog $net --object called_plain >"$tmp/profile" 2>/dev/null \
					-c "$build/bench/called 2100 $tmp/called.out $loops"
				awk '$2 == "called_plain" && NF == 9 { print $6 }' "$tmp/profile" >>"$tmp/dtr$net.mean"
				sed -n 's/^Cost of the probes of a call: \([0-9]*\) .*/\1/p' "$tmp/profile" \
					>>"$tmp/cost.mean"
			done
		done
		a=$(column "$tmp/none.mean" 1) b=$(column "$tmp/dtr.mean" 1) c=$(column "$tmp/dtr--net.mean" 1)
		echo "| $a | $b | $c | $(awk -v a="$a" -v c="$c" -v m="$(column "$tmp/cost.mean" 1)" 'BEGIN {
			printf "%.1f", 100 * (c - a) / m }') |"
	done
}
