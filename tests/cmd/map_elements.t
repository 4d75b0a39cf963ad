# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Associative arrays and thread-local variables with more elements than their tables have rows.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
need_ptrace
elements=$here/tests/kernel/elements
calls='syscall::getpgid:entry /pid == $target'

# counts N VALUE...: the lines that a script prints if it has counted each value N times.
counts() {
	times=$1
	shift
	for value; do echo "$value $times"; done
}

# ---- thread-local variables ----
# Two generations of threads: none sees a variable of a thread that has ended.
for n in 10 6000; do
	run "$DTR" -x ledger=off -qn "$calls/ { self->n++; @[self->n] = count(); } END { printa(\"%d %@d\\n\", @); }" \
		-c "$elements threads $n 3"
	case $err in *'Resource temporarily unavailable'*)
		skip "self->n++ in $n threads at once, twice" 'the number of threads is limited'
		continue ;;
	esac
	same "$out$err" "$(counts $((2 * n)) 1 2 3)" "self->n++ in $n threads at once, twice"
done
run "$DTR" -x ledger=off -qn "$calls/ { self->n++; self->s = \"name\"; } $calls/ { @[self->n, self->s] = count(); }
	END { printa(\"%d %s %@d\\n\", @); }" -c "$elements threads 2000 2"
same "$out$err" "$(printf '1 name 4000\n2 name 4000')" 'with a string: 2000 threads at once, twice'


# The thread that executes a program takes over the ID and the start time of the first one; its variables stay.
run "$DTR" -x ledger=off -qn 'syscall::execve:entry /pid == $target/ { self->tid = tid; }
	syscall::execve:return /pid == $target/ { printf("%d %d", self->tid > $target, tid == $target); }' \
	-c "$elements exec /bin/true"
is "$out$err" '1 1' 'a variable of a thread that is not the first one, after exec'

# ---- associative arrays ----
for k in 10 10000; do
	run "$DTR" -x ledger=off -qn "$calls/ { n[arg0]++; @[n[arg0]] = count(); } END { printa(\"%d %@d\\n\", @); }" \
		-c "$elements keys $k 3"
	same "$out$err" "$(counts $((2 * k)) 1 2 3)" "n[arg0]++: $k keys of each of two threads"

	run "$DTR" -x ledger=off -qn "$calls/ { n[arg0]++; @[n[arg0]] = count(); }
		$calls && n[arg0] == 3/ { n[arg0] = 0; }
		END { printa(\"%d %@d\\n\", @); }" -c "$elements keys $k 6"
	same "$out$err" "$(counts $((4 * k)) 1 2 3)" "elements that are removed start at 0: $k keys"
done
run "$DTR" -x ledger=off -qn "$calls/ { start[arg0] = timestamp; }
	syscall::getpgid:return /pid == \$target/ { self->done++; }
	END { printf(\"%d %d %d %d\\n\", start[-1] != 0, start[0] != 0, start[1998] != 0, start[1999] != 0); }" \
	-c "$elements keys 1000 1"
is "$out$err" '1 1 1 0' 'an element for each key, and none for others'

# A full array, from few rows to none: elements that were not counted as dropped are there.
for size in 64 1k 16k; do
	run "$DTR" -x ledger=off -x dynvarsize=$size -qn "$calls/ { n[arg0] = 1; @stored = sum(n[arg0]); }
		END { printa(\"%@d\\n\", @stored); }" -c "$elements keys 2000 1"
	lost=$(printf '%s\n' "$err" | sed -n 's/.*: \([0-9]*\) dynamic variable drop.*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }')
	is "$((out + lost))" 4000 "dynvarsize=$size: 4000 elements are stored or dropped ($out + $lost)"
done
done_testing
