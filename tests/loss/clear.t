# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# clear() and trunc() every 10 ms while every CPU fires at 5 kHz: the values printed in between add up to the firings.
. "$SRC/tests/loss/loss.sh"
busy

# Aggregations of every kind, printed with a word before each row. Each firing adds 1 to each of them, or to one row of
# a histogram. @n counts firings, too, and is never cleared. The compiler knows the possible keys of some aggregations
# (lang/lower/cells.c), but not those with a variable as key.
add='this->c = cpu; @c = count(); @k[arg0 != 0, this->c] = count(); @s = sum(1); @t["text", this->c] = sum(1); @q = '\
'quantize(arg2);
	@l[this->c] = lquantize(arg2, 0, 100000, 1000); @n = count(); @lo[cpu] = min(7); @hi = max(7);
	@fk[arg0 != 0, cpu] = count(); @fq[cpu, arg1 ? "user" : "kernel"] = quantize(arg2);'
show='printa("c %@d\n", @c); printa("k %d %d %@d\n", @k); printa("s %@d\n", @s); printa("t %s %d %@d\n", @t);
	printa("fk %d %d %@d\n", @fk); printf("histogram fq\n"); printa(@fq);
	printf("histogram q\n"); printa(@q); printf("histogram l\n"); printa(@l); printf("histogram -\n");
	printa("lo %d %@d\n", @lo); printa("hi %@d\n", @hi);'
forget() { # ACTION
	for a in c k s t q l lo hi fk fq; do
		printf '%s(@%s); ' "$1" "$a"
	done
}
end='END { printa("n %@d\n", @n); }'

# rows WORD: prints the sum of the rows of a histogram.
rows() {
	awk -v word="$1" '$1 == "histogram" { in_it = $2 == word; next } in_it && / \|/ { n += $NF } END {
		printf "%d\n", n }' "$work/out"
}

# all_add_up NAME: the printed values of each aggregation add up to the firings.
all_add_up() {
	n=$(column n 2)
	some "$n" "$1: there were firings"
	is "$(column c 2)" "$n" "$1: count()"
	is "$(column k 4)" "$n" "$1: count() with keys"
	is "$(column s 2)" "$n" "$1: sum()"
	is "$(column t 4)" "$n" "$1: sum() with keys"
	is "$(column fk 4)" "$n" "$1: count() with known keys"
	is "$(rows fq)" "$n" "$1: quantize() with known keys"
	is "$(rows q)" "$n" "$1: quantize()"
	is "$(rows l)" "$n" "$1: lquantize() with keys"
	# (After clear() and without a firing, min() and max() have their initial values.)
	is "$(grep -E '^(lo|hi) ' "$work/out" |
		grep -Evx 'lo [0-9]+ (7|9223372036854775807)|hi (7|-9223372036854775808)')" '' \
		"$1: min() and max()"
	is "$(dropped 'aggregation drop')" 0 "$1: no drops"
}

# With row tables of the default size, with two rows, so that most keys use the hash map, and without.
for how in 'clear 256k' 'clear 128' 'clear 0' 'trunc 256k' 'trunc 128' 'trunc 0'; do
	action=${how% *}
	start -x ledger=off -x aggsize=16k -x aggtable="${how#* }" -x switchrate=10ms -n "profile-4999 { $add }
		tick-10ms { $show $(forget "$action") }
		END { $show } $end"
	pause 15
	finish INT
	is "$status" 0 "$how: dtr exits with 0"
	all_add_up "$how"
	some "$(grep -c '^s ' "$work/out")" "$how: aggregations were printed"
done

# In slow programs, a snapshot more often happens between reading the generation and adding to it: for some 30 us of
# each 200.
# (A look-up in the hash map is slow, so there are no row tables. Snapshots wait for running programs: with a BPF
# program, or with a grace period if that is not available.)
told='printa("k %d %@d\n", @k); printa("c %@d\n", @c); printa("f %d %@d\n", @f);'
slow() { # NAME MILLISECONDS
	FAULTY_SLOW=1000000 start -x ledger=off -x aggsize=4k -x aggtable=0 -n "profile-4999 { this->c = cpu;
		@k[this->c] = count(); @n = count(); @c = count(); @f[cpu] = count(); }
		tick-$2ms { $told clear(@k); clear(@c); clear(@f); } END { $told } $end"
	pause 5
	finish INT
	is "$status:$(column k 3):$(column c 2):$(column f 3)" "0:$(column n 2):$(column n 2):$(column n 2)" "$1"
	some "$(column n 2)" 'there were firings'
}
DTR=$here/tests/loss/faulty
slow 'slow programs' 1
FAULTY_BARRIER=1
export FAULTY_BARRIER
slow 'slow programs, snapshots with grace periods' 10
DTR=$here/dtr
unset FAULTY_BARRIER

# Several probes that add, two clauses of one probe, two ticks that clear; exit() in the meantime.
start -x ledger=off -x aggsize=16k -x switchrate=5ms -n "profile-4999, profile-997, tick-1ms { $add } tick-10ms {
	$show } tick-10ms { $(forget clear) }
	tick-7ms { $show $(forget trunc) } tick-$((times))500ms { exit(0); } END { $show } $end"
finish
is "$status" 0 'two ticks and exit(): dtr exits with 0'
all_add_up 'two ticks and exit()'

# END clears the aggregations: those that dtr prints at the end must be empty.
start -x ledger=off -n "profile-4999 { @n = count(); @k[cpu] = count(); @t[tid, cpu] = count(); } tick-10ms {
	clear(@k); clear(@t); } tick-10ms /ticks++ >= 20/ { done = 1; }
	profile-4999 /done/ { exit(0); }
	END { clear(@k); clear(@t); printa(\"n %@d\\n\", @n); }"
finish
is "$(awk 'NF > 1 && $1 != "n" { n += $NF } END { print n + 0 }' "$work/out")" 0 'cleared in END: no values are printed'
some "$(column n 2)" 'there were firings'
done_testing
