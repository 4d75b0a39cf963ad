#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr prog: times of procedures, the cost of the probes, --net. All bounds are from the same run.
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf 'dtr prog' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
gcc -O1 -w -D_GNU_SOURCE -o spend "$SRC/tests/programs/spend.c" || { echo '1..0 # SKIP gcc fails'; exit 0; }

# Of a table of procedures.
column() { awk -v name="$1" -v n="$2" '$1 == "spend" && $2 == name && $3 ~ /^[0-9]+$/ { print $n }' table; }
line() { sed -n "s/^$1\([0-9]*\)\( ns\)*$/\1/p" table; }
within() { # VALUE LEAST MOST NAME
	if [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; then ok 0 "$4"; else ok 1 "$4" "$1 is not in $2 ... $3"; fi
}
profile() { # OPTION...
	run "$DTR" prog "$@" --object main --object spend --object nothing -c './spend 400 10'
	printf '%s\n' "$out" >table
	least=$(line 'least ')
	most=$(line 'most ')
	self=$(column spend 5)
	cost=$(sed -n 's/^Cost of the probes of a call: \([0-9]*\) ns.*/\1/p' table)
}

# ---- the procedures' own times ----
profile
is "$status$err" 0 'no message'
like "$out" '^Cost of the probes of a call: [1-9][0-9]* ns, part of the times$' 'the cost is shown'
within "$(line 'Total time: ')" "$least" "$most" 'own times add up to at most the time in which the process was awake'
within "$self" "$least" "$most" 'the own time of a procedure is at least the time that it has run'

profile --net
is "$status$err" 0 '--net: no message'
like "$out" '^Cost of the probes of a call: [1-9][0-9]* ns, subtracted from the times$' '--net: the cost is shown'
# A call of spend() begins after its entry and what an earlier firing may have left to subtract, each at most $cost.
within "$self" $((least - 8 * cost)) "$most" '--net: the own time of a procedure'
bad=$(awk '$1 == "spend" && $3 ~ /^[0-9]+$/ && NF > 4 { for (i = 4; i <= 8; i++) if ($i < 0) print }' table)
is "$bad" '' '--net: no negative times'
is "$(column nothing 3)" 400 '--net: calls are the same'
bad=$(awk '$1 == "spend" && $3 ~ /^[0-9]+$/ && $4 && ($5 > $4 || $7 > $6 || $6 > $8 || $8 > $4) { print }' table)
is "$bad" '' '--net: SELF <= TOTAL, MINIMUM <= MEAN <= MAXIMUM <= TOTAL'

# ---- the script, with the same times without subtraction; its arguments are the costs ----
"$DTR" prog --net --script >net.d
cat >gross.d <<'EOF'
self uint64_t before;
self int inside;

pid$target:a.out::entry, pid$target:a.out::return
/self->inside/
{
	@gross = sum(vtimestamp - self->before);
}

EOF
sed -e '/oformat/d' -e '/^int on;/r gross.d' net.d >both.d
cat >>both.d <<'EOF'

pid$target:a.out::entry, pid$target:a.out::return
{
	self->before = vtimestamp;
	self->inside = self->top != 0;
}

pid$target:a.out::entry, pid$target:a.out::return
/self->top/
{
	@costs = sum(this->cost);
}

END
{
	printa("gross %@d\n", @gross);
	printa("costs %@d\n", @costs);
	printa("self %@d\n", @self);
	trunc(@self); trunc(@calls); trunc(@arcs); trunc(@within); trunc(@total); trunc(@mean); trunc(@minimum);
	trunc(@maximum);
}
EOF
run "$DTR" -o both.out -s both.d -c './spend 400 0' 12000 2000 1500 2500 8500
bad=$(awk '{ v[$1] += $2 }
	END { if (!(v["costs"] > 0 && v["self"] <= v["gross"] && v["self"] >= v["gross"] - v["costs"]))
		print "gross " v["gross"] ", costs " v["costs"] ", net " v["self"] }' both.out)
is "$status$bad" 0 'net times are at least the others less the costs, and at most the others'

# ---- instructions ----
cat >first.c <<'END'
__asm__(".text\n.macro procedure name\n.globl \\name\n.type \\name, @function\n\\name:\n.endm\n"
	"procedure pushes\n push %rbp\n pop %rbp\n ret\n.size pushes, . - pushes\n"
	"procedure wide\n push %r12\n pop %r12\n ret\n.size wide, . - wide\n"
	"procedure clears\n xor %eax, %eax\n jmp tail\n.size clears, . - clears\n"
	"procedure nops\n nop\n jmp tail\n.size nops, . - nops\n"
	"procedure marks\n endbr64\n ret\n.size marks, . - marks\n"
	"procedure tail\n ret\n.size tail, . - tail\n");
void pushes(void), wide(void), clears(void), nops(void), marks(void), tail(void);
int main(void) { pushes(); wide(); clears(); nops(); marks(); tail(); return 0; }
END
gcc -O1 -w -o first first.c
rm -f first.out
run "$DTR" -q -o first.out -n '
	pid$target:a.out::entry, pid$target:a.out::return { @[probefunc, probename, _emulated] = count(); }
	END { printa("%s %s %d %@d\n", @); }' -c ./first
is "$(grep -E '^(pushes|wide|clears|nops|marks|tail) ' first.out | sort)" 'clears entry 0 1
clears return 1 1
marks entry 0 1
marks return 0 1
nops entry 1 1
nops return 1 1
pushes entry 1 1
pushes return 0 1
tail entry 0 3
tail return 0 3
wide entry 1 1
wide return 0 1' 'instructions that the kernel emulates'

# ---- formats, errors ----
run "$DTR" prog --net -O json -c './spend 10 0'
like "$out" '"subtracted"' '--net -O json'
run "$DTR" prog -O callgrind -c './spend 10 0'
like "$out" '^desc: Note: Cost of the probes of a call: [0-9]+ ns, part of the times$' '-O callgrind'
run "$DTR" prog --net -O html -c './spend 10 0'
like "$out" '^<p>Cost of the probes of a call: [0-9]+ ns, subtracted from the times$' '-O html'
"$DTR" prog --net -o saved -c './spend 10 0' >first.table
"$DTR" prog --net -o saved -c './spend 10 0' >/dev/null
run "$DTR" prog --sum saved
like "$out" '^Cost of the probes of a call: [0-9]+ ns, subtracted from the times$' 'saved profiles: the largest cost'
run "$DTR" prog --from main --to nothing -c './spend 3 0'
is "$(printf '%s\n' "$out" | grep -c '^Cost of the probes of a call')" 2 'the cost is shown with each part'
run "$DTR" prog --net --lines -c ./spend
is "$status $err" '2 dtr prog: --net needs --procs (see dtr prog -h)' 'error: --net --lines'
done_testing
