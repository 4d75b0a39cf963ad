#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tests/golden/run on tables of cases: each case is a test, a wrong one is reported with its file and line.
. "$SRC/tests/lib/tap.sh"
fails() { # LINE COMMENT NAME
	like "$out" "^# $work/t.txt:$1: $2" "$3"
	is "$status:$(printf '%s\n' "$out" | grep -c '^not ok')" 1:1 "$3: one failure"
}
three() { # SECOND-LINE [:LINE]: runs a table of three cases, of which this is the second line of the last
	cat >"$work/t.txt" <<E
# A section
setup int x;
event profile-97 pid=3

BEGIN { x = 1; printf("%d\n%d", x, x / (x - 1)); } ERROR { trace("!"); }
\\041 ! dtr: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in action #2 at line 1
a fault

profile-97 { printf("%d ", pid); exit(4); }
3\\040 ! status 4
an event

BEGIN { printf("a\\tb\\n\\\\c"); }
$1
escapes
E
	run "$here/tests/golden/run" "$work/t.txt${2-}"
}
three 'a\tb\n\\c'
is "$status:$(printf '%s\n' "$out" | grep '^ok')" "0:ok 1 - t.txt:5: a fault
ok 2 - t.txt:9: an event
ok 3 - t.txt:13: escapes" 'each case is a test'
three 'a\tb\n\\c' :13
is "$status:$(printf '%s\n' "$out" | grep '^ok')" '0:ok 1 - t.txt:13: escapes' 'the case at a line'
three 'a\tb\n\\c' :99
is "$status" 1 'no case at a line'
three 'a\tb\n\\d'
fails 13 'BEGIN .*' 'another output'
like "$out" '^# want: "\\d"' 'it is shown'
three 'a\tb\n\\c ! dtr: a message'
fails 13 'BEGIN .*' 'a message that does not come'
three '(nothing)'
fails 13 'BEGIN .*' 'an output that is not expected'
three 'a\tb\n\\c\n'
fails 13 'BEGIN .*' 'a newline more'
three 'a\x'
fails 16 'an escape is none of' 'an invalid escape'
three 'a '
fails 14 'a line ends with a space' 'a space at the end'
three 'a
b'
fails 17 'a case has three lines' 'four lines'
run "$here/tests/golden/run" "$work/none.txt"
is "$status:$(printf '%s\n' "$out" | grep -c '^not ok')" 1:1 'a table that does not exist'
three '?'
run "$here/tests/golden/run" -p "$work/t.txt"
is "$(printf '%s\n' "$out" | sed -n '14p')" 'a\tb\n\\c' '-p prints what the programs write'
is "$(printf '%s\n' "$out" | sed '14d')" "$(sed '14d' "$work/t.txt")" '-p keeps the rest'
mkdir "$work/files"
run "$here/tests/lib/casefiles" "$work/t.txt" "$work/files"
is "$(cd "$work/files" && echo *)" 't-13.d t-13.out t-5.d t-5.err t-5.out t-9.d t-9.err t-9.ev t-9.out' \
	'cases as files'
run "$here/tests/lib/casefiles" "$work/t.txt" "$work/files" 'Another section'
is "$status" 1 'a section that does not exist'
done_testing
