#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -x interval on this kernel: intervals of a program with known shares, recomputed from the printed counts; the losses
# are those of the ledger. tests/unit/test_interval simulates the intervals, bench/truth/intervals measures how often
# they contain the truth.
. "$SRC/tests/lib/tap.sh"
busy=$here/tests/kernel/busy

need_kernel

# Rows and the line "Samples:" of $out: prints what is wrong. The formula is that of base/interval.h.
recomputed() {
	printf '%s\n' "$out" | awk '
	function bound(k, n, sign,   p, z) {
		z = 1.959963984540054
		p = k / n
		return (p + z * z / (2 * n) + sign * z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
	}
	function off(a, b) { return a - b > 0.0051 || b - a > 0.0051 }
	$4 == "%" && $6 == ".." { count[++rows] = $2; share[rows] = $3; low[rows] = $5; high[rows] = $7; sum += $2 }
	/^Samples: / { n = $2 + 0; lost = $3 + 0 }
	END {
		if (!rows || n != sum) print rows, "rows, sum", sum, "of", n
		for (i = 1; i <= rows; i++)
			if (off(share[i], 100 * count[i] / n) || off(low[i], 100 * bound(count[i], n + lost, -1)) ||
			    off(high[i], 100 * bound(count[i] + lost, n + lost, 1)))
				print count[i], share[i], low[i], high[i], "of", n, "lost", lost
	}'
}
column() { printf '%s\n' "$out" | awk -v name="$1" -v f="$2" '$1 == name && $6 == ".." { print $f }'; }
lost() { printf '%s\n' "$out" | awk '/^Samples: / { print $3 + 0 }'; }
value() { printf '%s\n' "$out" | awk -v k="$1" '$1 == k && NF == 2 { print $2 }'; }

run "$DTR" -x interval -x ledger=on -qn \
	'profile-997 /pid == $target/ { @[arg0 ? "kernel" : "user"] = count(); }' -c "$busy split 1200 800"
is "$status" 0 'a program with known shares'
is "$(recomputed)" '' 'shares and intervals follow from the counts and the losses'
# Losses of the ledger's table: those of busy CPUs. Idle ones are in a column of their own.
printf '%s\n' "$err" | awk -v lost="$(lost)" '$1 == "probe" { for (i = 1; i <= NF; i++) at[i] = $i }
	$1 == "profile-997" {
		# the heading of column 5 is empty: "99.9 %" are two fields
		for (i in at) if (i > 4) part[at[i]] = $(i + 2)
		due = $3 - $4 - part["idle"] - part["offline"]
		print "lost", lost, "of the ledger", due
		exit !(lost == (due > 0 ? due : 0))
	}' >"$work/bounds"
ok $? 'the losses are those of the ledger' "$(cat "$work/bounds")" "$err"
# The truth is within the interval, which a correct one misses once in 20 times; so it is made wider: from 1.96 to 5.5
# standard deviations, and by what the program was held, and by 4 % for interrupts and its clock.
awk -v low="$(column user 5)" -v high="$(column user 7)" -v ran="$(value ran)" -v held="$(value held)" 'BEGIN {
	p = 100 * 1200 / ran
	more = (high - low) * 1.4 + 100 * held / ran + 4
	print "low", low, "high", high, "true", p, "more", more
	exit !(high > low && low - more <= p && p <= high + more)
}' >"$work/bounds"
ok $? 'the interval is where the truth is' "$(cat "$work/bounds")" "$out"

run "$DTR" -O json -x interval -qn \
	'profile-997 /pid == $target/ { @[arg0 ? "kernel" : "user"] = count(); }' -c "$busy split 300 200"
like "$out" '"keys":\["user"\].*"value":[0-9]+,"share":[0-9.]+,"low":[0-9.]+,"high":[0-9.]+\}\]\}$' \
	'-O json: the interval of a row'
like "$out" '^\{"type":"samples","aggregation":"_","count":[0-9]+,"lost":[0-9]+,"idle":[0-9]+\}$' '-O json: losses'

run "$DTR" -x interval -x ledger=off -qn 'profile-997 /pid == $target/ { @[execname] = count(); }' \
	-c "$busy split 100 0"
like "$out" '^Samples: [0-9]+$' 'without the ledger, losses are unknown'
run "$DTR" -x interval -qn 'tick-1ms /n++ < 50/ { @ = count(); @s = sum(1); } tick-1ms /n > 60/ { exit(0); }'
unlike "$status:$out" 'Samples|%' 'ticks are not samples'
done_testing
