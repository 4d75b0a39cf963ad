#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Deliberately large scripts: a text repeated 100,000 times (or as often as given) between two others. For each, dtr
# must end within five minutes of CPU time (hundreds of times what it needs). Either the script compiles, or there are
# few, short messages with tag and line.
#
# A line of the table: name, beginning, repeated text, end, `ok` or the tag of the first message, number of repetitions.
# For the notation see repeat.c.
N=100000
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

cases() {
	cat <<'EOF'
clauses||BEGIN { x = 1; }\n||ok
probes||profile-# { x = 1; }\n||ok|5000
statements|BEGIN { x = 1; |x = x + 1; |}|ok
variables|BEGIN { |v# = #; |}|ok
aggregations|BEGIN { |@a#[#] = count(); |}|D_LIMIT|20000
keyed clauses||BEGIN { @[#] = count(); }\n||ok|20000
arrays|BEGIN { |a#[#] = 1; |}|D_LIMIT|20000
declarations||int v#;\n|BEGIN|ok
thread variables|BEGIN { |self->a# = 1; |}|ok|20000
predicates||BEGIN /pid == #/ { x = 1; }\n||ok
ifs|BEGIN { |if (pid == #) { x = 1; } |}|ok
specifiers|BEGIN|, BEGIN| { x = 1; }|ok
named probes|BEGIN|, profile-#| { x = 1; }|ok|5000
probes again and again|BEGIN|, profile-1#, profile-97| { x = 1; }|ok|999
options||##pragma D option quiet\n|BEGIN|ok
enumerators|enum e { A|, A#| }; BEGIN|ok
empty lines||\n|BEGIN|ok
comment lines||// x\n|BEGIN|ok
identifier|BEGIN { a|a| = 1; }|ok
string|BEGIN { x = "|a|"; }|ok
structures|struct s0 { int x; };\n|struct s# { struct s0 *a; };\n|BEGIN|ok|20000
inlines||inline int i# = #;\n|BEGIN|ok
globs||*| { x = 1; }|ok|900000
statements without an end|BEGIN { x=1; |x++;|}|D_LIMIT|4000000
parentheses|BEGIN { x = |(|1; }|D_LIMIT
brackets|BEGIN { x = a|[1]|; }|D_LIMIT
question marks|BEGIN { x = |1 ? 2 : |3; }|D_LIMIT
question marks inside|BEGIN { x = |1 ? |3; }|D_LIMIT
minus|BEGIN { x = |-|1; }|D_LIMIT
casts|BEGIN { x = |(int)|1; }|D_LIMIT
sum|BEGIN { x = 1|+1|; }|D_LIMIT
members|BEGIN { x = curthread|->a|; }|D_LIMIT
else if|BEGIN { |if (pid) x = 1; else |x = 2; }|D_LIMIT
braces|BEGIN { |if (pid) {|x = 1; }|D_LIMIT
stars|int |*|x; BEGIN|D_LIMIT
members of a structure|struct s { |int m#; |}; BEGIN|D_LIMIT
slashes|BEGIN /1|/1||D_LIMIT
digits|BEGIN { x = |9|; }|D_INT_OFLOW
keys|BEGIN { @[1|, 1|] = count(); }|D_LIMIT
arguments|BEGIN { printf("%d"|, 1|); }|D_PROTO_LEN
traced string|BEGIN { trace("|a|"); }|D_LIMIT
open string|BEGIN { trace("|a||D_STR_NL
character|BEGIN { x = '|a|'; }|D_CHR_OFLOW
open comment|/*|*||D_SYNTAX
NULs||\0||D_SYNTAX|1000000
NULs in a comment|/* |\0|*/ BEGIN|D_SYNTAX|1000000
control characters||\001||D_SYNTAX|1000000
no UTF-8|BEGIN { x|\377| = 1; }|D_SYNTAX
opening braces||{||D_SYNTAX
closing braces||}||D_SYNTAX
colons||:| { }|D_PDESC_INVAL
classes||[| { }|D_PDESC_ZERO
macros|BEGIN { x = |$1|; }|D_MACRO_UNDEF
macro in a probe|profile-|$pid| { }|D_PDESC_ZERO
wrong options||##pragma D option nosuch\n|BEGIN|D_PRAGMA_OPTSET
wrong clauses||BEGIN { x = ; }\n||D_SYNTAX
unknown names|BEGIN { |trace(foo#);|}|D_IDENT_UNDEF
unknown probes||foo-# { }\n||D_PDESC_ZERO
blanks||   |BEGIN { x = ; }|D_SYNTAX
long line|BEGIN { |x = 1; |y = ; }|D_SYNTAX
EOF
}

# Prints what is wrong with the result.
judge() {
	case $want-$rc in
	ok-0) [ ! -s "$tmp/err" ] || echo "compiled, with messages" ;;
	ok-*) echo "status $rc" ;;
	*-1)
		grep -q "^dtr: failed to compile script [^ ]*: \[$want\] line [0-9]*: " "$tmp/err" ||
			echo "no message with $want"
		[ "$(grep -c '^dtr: ' "$tmp/err")" -le 20 ] || echo "too many messages"
		[ "$(wc -c <"$tmp/err")" -lt 40000 ] || echo "messages too long"
		;;
	*) echo "status $rc" ;;
	esac
}

cases >"$tmp/cases"
echo "1..$(wc -l <"$tmp/cases")"
while IFS='|' read -r name before text after want times; do
	n=$((n + 1))
	"${DTR%/*}/tests/fuzz/repeat" "${times:-$N}" "$before" "$text" "$after" >"$tmp/x.d"
	rc=0
	(ulimit -t 300; exec "$DTR" -e -x errtags -s "$tmp/x.d") >"$tmp/out" 2>"$tmp/err" || rc=$?
	wrong=$(judge)
	if [ -z "$wrong" ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		printf '%s\n' "$wrong" | sed 's/^/# /'
		head -n 3 "$tmp/err" | cut -c1-200 | sed 's/^/# /'
		failed=1
	fi
done <"$tmp/cases"
exit $failed
