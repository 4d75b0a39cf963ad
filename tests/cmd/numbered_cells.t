# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Aggregations whose possible keys the compiler knows (lang/lower/cells.c), compared with the same ones keyed by
# variables, about which it knows nothing. Keys, functions and sites are random. Both must print the same bytes in
# either engine.
. "$SRC/tests/lib/tap.sh"
need_kernel

# script SEED FIRINGS: writes a script that prints each pair of aggregations after the lines "d" and "h": unchanged,
# normalized, truncated, cleared.
script() {
	awk -v seed="$1" -v after="$2" '
	function dice(n) { return int(rand() * n) }
	function value(	n) { n = dice(5); return n ? "(int64_t)" values[n] : "this->x" }
	# An expression with a few possible integers or strings.
	function few(kind,	v) {
		v = value()
		if (kind == "s" && !dice(4))
			return dice(2) ? "probename" : "(" v " & 2 ? probename : \"none\")"
		if (kind == "s")
			return "(" v " % 3 == 0 ? \"" dice(3) "\" : " v " & 8 ? \"text\" : \"" dice(2) "\")"
		return dice(9) ? "(int)(" few_int(v) ")" : "cpu"
	}
	function few_int(v,	n) {
		n = dice(8)
		if (n == 0) return v " % " 1 + dice(6)
		if (n == 1) return v " & " dice(16)
		if (n == 2) return v " % 3 == " dice(3)
		if (n == 3) return "!(" v " & 1)"
		if (n == 4) return v " & 4 ? -7 : " v " & 1 ? 100000 : 3"
		if (n == 5) return "(short)((" v " & 7) - 3)"
		if (n == 6) return "(uint8_t)" v " >> 5"
		return dice(5) - 2
	}
	function add(i, site,	k, d, h, set) {
		for (k = 0; k < keys[i]; k++) {
			e = few(substr(kinds[i], k + 1, 1))
			set = set "this->k" i "_" k "_" site " = " e "; "
			d = d (k ? ", " : "") e
			h = h (k ? ", " : "") "this->k" i "_" k "_" site
		}
		f = func_of[i]
		return set "@d" i "[" d "] = " f "; @h" i "[" h "] = " f "; "
	}
	function show(	i) {
		print "END {"
		for (i = 0; i < 6; i++)
			print "printf(\"d\\n\"); printa(@d" i "); printf(\"h\\n\"); printa(@h" i ");"
		print "}"
	}
	function each(action, rest,	i) {
		print "END {"
		for (i = 0; i < 6; i++)
			print action "(@d" i rest "); " action "(@h" i rest ");"
		print "}"
	}
	BEGIN {
		srand(seed)
		split("this->a pid cpu this->b", values, " ")
		n = split("count() sum(this->x) sum(0) min(this->x) max(arg1) avg(this->x) stddev(this->x%100) '\
'quantize(this->x) " \
			"quantize(this->x,0) lquantize(this->x%100,0,100,20)", funcs, " ")
		for (i = 0; i < 6; i++) {
			keys[i] = 1 + dice(3)
			kinds[i] = substr("isssiiis", 1 + dice(5), 3)
			func_of[i] = funcs[1 + dice(n)]
		}
		for (c = 0; c < 3; c++) {
			print (c ? "profile-997, tick-10ms" : "profile-4999") (c > 1 ? " /arg1 & 1/ {" : " {")
			# a kernel PC may differ each time it is read, so read it once
			print "this->x = (int)(timestamp >> 9 & 0xffff) - 100; this->a = arg0; this->b = arg1;"
			for (i = 0; i < 6; i++)
				if (!c || dice(2))
					print add(i, c)
			print "}"
		}
		show()
		each("normalize", ", 7"); show()
		each("denormalize", ""); each("trunc", ", 3"); show()
		each("trunc", ", -1"); show()
		each("clear", ""); show()
		each("trunc", ""); show()
		print "END { printf(\"end\\n\"); }"
		print "profile-4999 /fired++ >= " after "/ { exit(0); }"
	}'
}

# halves: writes the lines after "d" to one file and those after "h" to another.
halves() {
	for half in d h; do
		awk -v half=$half '/^(d|h|end)$/ { on = $0 == half; next } on' "$work/all" >"$work/$half"
	done
}

# The scripts are always the same unless $SEED is set. Each shows six aggregations with at least one row three times:
# unchanged, normalized, truncated to three.
seed=${SEED:-1}
spin_on 0	# an idle CPU may not be sampled
numbered=0
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	script $((seed + n)) 500 >"$work/s.d"
	numbered=$((numbered + $("$DTR" -d I -s "$work/s.d" 2>/dev/null | grep -c '^obj @d[0-9] agg key=8 cells=')))
	for engine in kernel user; do
		set -- -x ledger=off -qs "$work/s.d"
		[ $engine = kernel ] || set -- -x engine=user "$@" -c "$here/tests/kernel/busy split 200 0"
		run "$DTR" "$@"
		printf '%s\n' "$out" >"$work/all"
		halves
		is "$status:$(cmp "$work/d" "$work/h" 2>&1)" 0: "seed $((seed + n)), $engine: both forms print the same"
		is "$([ "$(grep -c . "$work/d")" -ge 18 ] && echo much)" much \
			"seed $((seed + n)), $engine: enough lines were printed"
	done
done
is "$([ $numbered -ge 24 ] && echo enough)" enough \
	"at least a third of the aggregations have numbered cells ($numbered of 72)"

# Probe names as keys. Many of these probes share a program.
run "$DTR" -qn 'syscall:::entry, syscall:::return { @d[probename == "entry" ? probefunc : "return", cpu] = count();
	this->c = cpu;
	this->p = probename == "entry" ? probefunc : "return"; @h[this->p, this->c] = count();
	@f[probefunc] = max(cpu); this->f = probefunc;
	@g[this->f] = max(cpu); } END { printf("d\n"); printa(@d); printf("h\n"); printa(@h); printf("d\n");
	printa(@f); printf("h\n");
	printa(@g); printf("end\n"); }' -c "dd if=/dev/zero of=/dev/null bs=1 count=10000"
printf '%s\n' "$out" >"$work/all"
halves
is "$status:$(cmp "$work/d" "$work/h" 2>&1)" 0: 'system call names as keys'
is "$(grep -c 'read\|write' "$work/d" | awk '{ print ($1 >= 4) }')" 1 'the command called read and write'
is "$("$DTR" -d I -n 'syscall:::entry { @[probefunc] = count(); }' 2>/dev/null | grep -c '^obj @ agg key=8 cells=')" 1 \
	'system call names have numbered cells'

# Rows that are truncated again and again lose nothing.
run "$DTR" -x ledger=off -x switchrate=5ms -qn 'profile-4999 { @f[cpu, arg0 ? "kernel" : "user"] = count();
	@n = count(); }
	tick-10ms { printa("f %d %s %@d\n", @f); trunc(@f); } profile-4999 /fired++ >= 3000/ { exit(0); }
	END { printa("f %d %s %@d\n", @f); trunc(@f); printa("n %@d\n", @n); }'
is "$(printf '%s\n' "$out" | awk '$1 == "f" { f += $4 } $1 == "n" { n = $2 } END { print (n > 1000), f - n }')" '1 0' \
	'repeatedly truncated rows add up'
done_testing
