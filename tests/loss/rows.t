# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Row tables of every size, from none to one in which all keys have rows: a program makes a known number of events with
# each key, on all CPUs. No event is lost or counted twice, also when a timer interrupts the program that adds a row.
# (Newer kernels may preempt the program of a system call. If it then runs for another thread, that firing is a drop.)
. "$SRC/tests/loss/loss.sh"
# Under emulation such a timer would leave no time for anything else.
rate=${DTR_VM:+499}
made='syscall::getpriority:entry /pid == $target && arg0 == 77/'
keys=$here/tests/kernel/keys

# exact TABLE KEYS ROUNDS: four threads.
exact() {
	start -x ledger=off -x aggsize=64m -x aggtable="$1" -n "$made { @k[arg1] = count(); @n = count();
		@s[arg1, execname] = sum(arg1); @q[arg1 % 10] = quantize(arg1); }
		END { printa(\"K %d %@d\\n\", @k); printa(\"n %@d\\n\", @n); printa(\"S %d %s %@d\\n\", @s);
		printf(\"histogram\\n\"); printa(@q); }" -c "$keys 4 $3 $2"
	finish
	name="$2 keys, aggtable=$1"
	lost=$(dropped 'nested firing')
	seen=$((4 * $2 * $3 - lost))
	is "$status:$(dropped 'aggregation drop')" 0:0 "$name: dtr exits with 0, no key is lost"
	is "$(column n 2)" $seen "$name: all events are seen"
	is "$(column K 3)" $seen "$name: count() has all events"
	is "$(awk -v n=$((4 * $3)) -v lost="$lost" '$1 == "K" && (lost || $3 == n) && !seen[$2]++ { rows++ }
		$1 == "K" { all++ } END { printf("%d of %d", rows, all) }' "$work/out")" "$2 of $2" \
		"$name: count() is exact for each key"
	is "$(awk -v n=$((4 * $3)) -v lost="$lost" '$1 == "S" && $3 == "keys" && (lost || $4 == n * $2) &&
		!seen[$2]++ { rows++ } $1 == "S" { all++ } END { printf("%d of %d", rows, all) }' "$work/out")" \
		"$2 of $2" "$name: sum() is exact for each key"
	is "$(awk '$1 == "histogram" { in_it = 1 } in_it && / \|/ { n += $NF } END { printf("%d", n) }' "$work/out")" \
		$seen "$name: quantize() has all events"
}
for table in 0 128 4k 256k 64m; do
	exact $table 1 20000
	exact $table 100 200
	exact $table 100000 1
done

# A timer on every CPU interrupts the system calls and adds to the same keys, so it also meets rows that are just being
# made. Every event is counted in an aggregation without keys, too. With trunc(), rows are made all the time.
nested() { # NAME TABLE KEYS ROUNDS TEXT
	start -x ledger=off -x aggsize=64m -x switchrate=10ms -x aggtable="$2" -n "
		$made { key = arg1; @k[arg1] = count(); @c[arg1, execname] = count(); @n = count(); @seen = count(); }
		profile-${rate:-4999} { @k[key] = count(); @c[key, execname] = count(); @n = count();
			@timer = count(); }
		$5 END { printa(\"K %d %@d\\n\", @k); printa(\"C %d %s %@d\\n\", @c); printa(\"n %@d\\n\", @n);
		printa(\"seen %@d\\n\", @seen); printa(\"timer %@d\\n\", @timer); }" -c "$keys 4 $4 $3"
	finish
	is "$status:$(dropped 'aggregation drop'):$(dropped drop)" 0:0:0 "$1: dtr exits with 0, no key is lost"
	is "$(($(column seen 2) + $(dropped 'nested firing')))" $((4 * $3 * $4)) "$1: all events are seen"
	is "$(($(column seen 2) + $(column timer 2)))" "$(column n 2)" "$1: all firings are counted"
	is "$(column K 3)" "$(column n 2)" "$1: the counts add up to all firings"
	is "$(column C 4)" "$(column n 2)" "$1: the counts by two keys add up to all firings"
	some "$(column timer 2)" "$1: the timer has fired"
}
for table in 128 256k 64m; do
	nested "interrupted, aggtable=$table" $table 20000 $((4 * times)) ''
	nested "interrupted and truncated, aggtable=$table" $table 1000 $((80 * times)) 'tick-10ms {
		printa("K %d %@d\n", @k); printa("C %d %s %@d\n", @c); trunc(@k); trunc(@c); }'
done

# Nobody knows where another session has its rows: the programs differ, and only by the hash of the row tables.
programs() { # TABLE: prints the tags of the session's programs, which the kernel computes from their instructions
	start -x ledger=off -x aggtable="$1" -n 'tick-1h { @[timestamp] = count(); }'
	cat "/proc/$pid/fdinfo/"* 2>/dev/null | awk '$1 == "prog_tag:" { print $2 }' | sort
	finish INT
}
one=$(programs 0) two=$(programs 0)
same "$one" "$two" 'two sessions without row tables have the same programs'
one=$(programs 256k) two=$(programs 256k)
[ -n "$one" ] && [ "$one" != "$two" ]
ok $? 'two sessions with row tables have different programs' "$one" "$two"
done_testing
