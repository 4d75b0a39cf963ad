# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# The cost governor: a script that costs about 20 % of the machine without a limit, held at three limits; and one whose
# cost comes from a clock. Sourced by bench/run; sets nothing but functions.

# The share of the machine that the last run cost: column 5 of -x cost is the share of one CPU.
maxcost_spent() {
	awk -v n="$(nproc)" '/ %$/ && $1 != "of" { s += $(NF - 1) } END { printf "%.2f", s / n }' "$tmp/err"
}

maxcost_row() { # LIMIT
	rm -f "$tmp/out" "$tmp/thinned"
	"$build/dtr" -q -x maxcost="$1" -x cost -o "$tmp/out" -n 'syscall::getppid:entry /execname == "held"/ {
			@n = count(); @s = sum(3); @q = quantize(timestamp); @u[ustack()] = count();
			@e[execname, pid] = count();
		}
		END { printa("n %@d\n", @n); printa("s %@d\n", @s); }' \
		-c "$build/bench/held $(nproc) $maxcost_rate 10 60" >"$tmp/made" 2>"$tmp/err"
	sed -i '/^dtr: thinned/,$!b; /^ *[a-z-]* *[0-9]* *[0-9]* *[0-9]* *[0-9]*$/!b; w '"$tmp/thinned"'
		d' "$tmp/err"
	made=$(grep -x '[0-9]*' "$tmp/made")
	n=$(sed -n 's/^n //p' "$tmp/out") s=$(sed -n 's/^s //p' "$tmp/out")
	most=$(awk '{ print $2 }' "$tmp/thinned" 2>/dev/null) half=$(awk '{ print $5 }' "$tmp/thinned" 2>/dev/null)
	printf '%-8s %8s %% %8s %10s %10s %9s %8s\n' "$1" "$(maxcost_spent)" "${most:-1}" "$made" "$n" \
		"$((n - made))" "${half:-0}"
	[ "$s" = $((3 * n)) ] || echo "sum() is $s, not $((3 * n))"
}

bench_maxcost() {
	maxcost_rate=${RATE:-60000}
	echo "$(nproc) processes, $maxcost_rate calls/s each, 10 s; ustack() of 60 frames, five aggregations"
	printf '%-8s %10s %8s %10s %10s %9s %8s\n' maxcost spent 'most N' calls 'count()' error '95 %'
	for limit in 100% 10% 3% 1%; do
		maxcost_row $limit
	done
}

# The clock: `fired` is how often the kernel ran the program. OLD: another dtr, for comparison.
maxcost_clock() { # DTR LIMIT
	rm -f "$tmp/out"
	"$1" -q -x maxcost="$2" -x cost -o "$tmp/out" -n 'BEGIN { begun = timestamp; }
		profile-4999 { @n = count(); @u[ustack()] = count();
			@e[execname, pid] = count(); @k[stack()] = count(); @q = quantize(timestamp); }
		END { printf("t %d\n", timestamp - begun); printa("n %@d\n", @n); }' \
		-c "$build/bench/held $(nproc) $maxcost_rate 10 60" >/dev/null 2>"$tmp/err"
	awk -v limit="$2" -v cpus="$(nproc)" 'FNR == NR { v[$1] = $2; next }
		$NF == "%" && $1 != "of" { spent += $(NF - 1) / cpus }
		$1 == "profile-4999" && NF == 6 && $NF == "%" { fired = $2 }
		$1 == "profile-4999" && NF == 5 { most = $2 }
		END { due = v["t"] * 4999 * cpus / 1e9
			printf "%-8s %8.2f %% %8d %10d %10d %10d %8.2f %%\n", limit, spent, most ? most : 1,
				fired, v["n"], due, 100 * (v["n"] - due) / due }' "$tmp/out" "$tmp/err"
}

bench_maxcost_clock() {
	maxcost_rate=${RATE:-60000}
	for dtr in "$build/dtr" ${OLD:+"$OLD"}; do
		echo "$dtr: profile-4999 with ustack() of 60 frames, $(nproc) busy CPUs, 10 s"
		printf '%-8s %10s %8s %10s %10s %10s %10s\n' maxcost spent 'most N' fired 'count()' due error
		for limit in 100% 1% 0.3% 0.1%; do
			maxcost_clock "$dtr" $limit
		done
	done
}
