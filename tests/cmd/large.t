# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Scripts with one large dimension: if a script compiles, the kernel loads it, and both engines give the same results.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1

# wide KIND N: prints an expression that needs many values at once.
wide() {
	awk -v kind="$1" -v n="$2" '
	function times(text, n,   s) { for (s = ""; n > 0; n--) s = s text; return s }
	function list(a, b, last, end,   s, i) {
		for (s = i = 0; i < n; i++) s = (i ? s : "") a i b
		return s last times(end, n)
	}
	BEGIN {
		if (kind == "choices") print list("x == ", " ? 7 : ", "5", "")
		if (kind == "choices-within") print list("(x == ", " ? y : ", "x", ")")
		if (kind == "choices-of-variables") print list("x - ", " ? y : ", "x", "")
		if (kind == "sum-to-the-right") print list("(x * ", " + ", "x", ")")
		if (kind == "difference-to-the-right") print list("(y * ", " - ", "x", ")")
		if (kind == "comparison") print list("(x + ", " < ", "x", ")")
		if (kind == "shift") print list("(x + ", " << ", "y", ")")
		if (kind == "and") print list("x != ", " - 1 && ", "y", "")
		if (kind == "or") print list("x == ", " + 1000 || ", "y", "")
		if (kind == "steps") print times("(z++ + ", n) "z" times(")", n)
		if (kind == "sum-to-the-left") print list("x * ", " + ", "y", "")
		if (kind == "elements") print list("(a[", "] ? y : ", "x", ")")
		if (kind == "strings") print "strlen(" times("strjoin(", n) "probename" times(", \"a\")", n) ")"
		if (kind == "calls") print times("strlen(lltostr(", n / 2) "x" times("))", n / 2)
		if (kind == "mixed") print list("(x == ", " ? y++ : x * y - ", "z", ")")
	}'
}

kinds='choices choices-within choices-of-variables sum-to-the-right difference-to-the-right comparison shift and or
	steps sum-to-the-left elements strings calls mixed'
for kind in $kinds; do
	: >both
	for n in 60 70 110; do
		echo "int x, y, z; BEGIN { x = 3; y = x * x; z = 2; a[70] = 1; trace($(wide "$kind" $n)); trace(z); }
			BEGIN { @[$(wide "$kind" $n)] = sum($(wide "$kind" $n)); exit(0); }
			ERROR { trace(\"fault\"); }" >"$n.d"
		for engine in ${DTR_OPT_ENGINE:-bpf user}; do
			run "$DTR" -x engine="$engine" -qs "$n.d"
			printf '%s\n' "$out" | cksum >"$n.$engine"
			echo "$n $engine: $status $err" >>both
		done
		[ ! -f "$n.bpf" ] || cmp -s "$n.bpf" "$n.user" || echo "$n: the engines do not agree" >>both
	done
	is "$(grep -v ': 0 $' both | head -n 5)" '' "$kind: loads, and both engines agree"
done

# Many clauses, in one block and in several, with values that all of them share.
clauses() { # N TEXT: writes N copies of TEXT; # is replaced by the number of the clause
	awk -v n="$1" -v text="$2" 'BEGIN {
		for (i = 0; i < n; i++) { s = text; gsub("#", i, s); print s }
		print "BEGIN { printf(\"%d\", n); exit(0); }" }' >many.d
}
clauses 20000 'BEGIN { n += timestamp != 0; }'
run "$DTR" -qs many.d
is "$status:$out" 0:20000 '20,000 clauses'
clauses 20000 'BEGIN { @ = sum(#); n = #; }'
run "$DTR" -qs many.d
is "$status:$(echo $out)" '0:19999 199990000' '20,000 clauses that aggregate'
clauses 5000 'BEGIN /n == #/ { n++; a[#] = n; }'
run "$DTR" -qs many.d
is "$status:$out" 0:5000 '5,000 predicates and elements'
clauses 20000 'BEGIN { n++; trace(#); }'
run "$DTR" -x bufsize=8m -qs many.d
is "$status:$(printf %s "$out" | wc -c):$(printf %s "$out" | tail -c 10)" 0:88895:1999920000 \
	'20,000 clauses with records'

# Many variables. Thread variables use as many pieces of memory as they need.
variables() { # N TEXT LAST
	awk -v n="$1" -v text="$2" -v last="$3" 'BEGIN {
		print "BEGIN {"
		for (i = 0; i < n; i++) { s = text; gsub("#", i, s); print s }
		gsub("#", n - 1, last)
		print last "exit(0); }" }' >many.d
}
variables 400 'self->s# = lltostr(#);' 'trace(self->s0); trace(self->s200); trace(self->s#);'
run "$DTR" -qs many.d
is "$status:$out:$err" '0:0200399:' '400 thread variables of 256 bytes'
variables 2000 'self->s# = lltostr(#); self->n# = #; s# = self->s#; this->s# = s#;' \
	'trace(self->s#); trace(self->n999); trace(s#); trace(this->s#);'
run "$DTR" -qs many.d
is "$status:$out:$err" '0:199999919991999:' '2,000 variables of each class'

# A script that exceeds a limit is refused before anything is loaded.
variables 3000 'a#[1] = #;' ''
if with_bpf 'there is no limit'; then
	run "$DTR" -es many.d
	is "$status" 1 '3,000 associative arrays exceed the limit of a probe'
	like "$err" 'line 1: .*too large: too many aggregations and associative arrays' '-e reports the limit'
fi
run "$DTR" -x engine=user -es many.d
is "$status:$err" 0: 'the rootless engine has no such limit'
done_testing
