#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr prog: the counts of a program (tests/programs/dry.c) whose procedures, lines and variables are known.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
need_room
need_types
with_bpf 'dtr prog' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
cp "$SRC/tests/programs/dry.c" .
gcc -O0 -g -w -pthread -o dry dry.c || { echo '1..0 # SKIP gcc fails'; exit 0; }

# "NAME CALLS" of each procedure in dry.c, that is, those with calls.
awk 'match($0, /\/\* calls [0-9]+ \*\//) {
	n = substr($0, RSTART + 9) + 0
	sub(/\(.*/, "")
	sub(/.*[ *]/, "")
	if (n) print $0, n
}' dry.c | sort >calls
# "LINE EXECUTIONS" of each line whose executions are known.
awk 'match($0, /\/\* = [0-9]+ \*\//) { print FNR, substr($0, RSTART + 5) + 0 }' dry.c | sort >lines

# ---- procedures ----
own='length|compare|sum_to|assign|leave|jumps|never|run|main'
run "$DTR" prog -c ./dry
is "$status$err" 0 'procedures: no message'
printf '%s\n' "$out" >procs
grep -E "^dry +($own) +[0-9]" procs | awk '{ print $2, $3 }' | sort >got
is "$(cat got)" "$(cat calls)" 'calls of procedures'
bad=$(grep -E "^dry +($own) +[0-9]" procs |
	awk '$4 ~ /^[0-9]+$/ { if ($5 > $4 || $7 > $6 || $6 > $8 || $8 > $4) print }')
is "$bad" '' 'SELF <= TOTAL, MINIMUM <= MEAN <= MAXIMUM <= TOTAL'
bad=$(awk '$1 == "dry" && $3 ~ /^[0-9]+$/ { self += $5; n++ } $2 == "main" && $4 ~ /^[0-9]+$/ { main = $4 }
	$1 == "Total" { total = $3 }
	END { if (!n || self != total || total < main) print self, total, main }' procs)
is "$bad" '' 'own times add up to the total time, which is at least that of main'
like "$out" '^Deepest call: 13$' 'the deepest call: _start, main and 11 of sum_to'
run "$DTR" prog --object sum_to --object a.out:length -c ./dry
is "$(printf '%s\n' "$out" | awk '$1 == "dry" && $3 ~ /^[0-9]+$/ { print $2, $3 }' | sort)" "length 1000
sum_to 55" 'chosen procedures'

part_ends
# ---- lines ----
run "$DTR" prog --lines -c ./dry
printf '%s\n' "$out" | awk '$1 == "dry.c" && NF == 4 { print $3, $4 }' | sort >got
join -a 1 lines got >both
bad=$(awk 'NF != 3 || $2 != $3' both)
is "$status$err$bad" 0 'executions of lines, also of those that never ran'
like "$out" '^Executions of lines: [0-9]+$' 'sum of the executions'
like "$out" '^length +[0-9]+  #{55}[|]$' 'chart: 31000 executions, 55.96 of 554'
cp got counts
run "$DTR" prog --lines --times -c ./dry
printf '%s\n' "$out" | awk '$1 == "dry.c" && NF == 5 { print $3, $4 }' | sort >got
is "$status$err$(cmp got counts 2>&1)" 0 '--times: the same executions'
bad=$(printf '%s\n' "$out" | awk '$1 == "dry.c" && NF == 5 && !$4 != !$5')
like "$bad" '^dry.c +main +[0-9]+ +1 +0$' '--times: what ran has a time, except for the last line'
for times in '' --times; do
	# shellcheck disable=SC2086 # an option or nothing
	run "$DTR" prog --lines $times -x cost -c ./dry
	printf '%s\n' "$err" | awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { print $2 }' >"firings$times"
done
ok "$([ "$(cat firings)" -lt "$(cat firings--times)" ]; echo $?)" 'not every line is probed without --times' \
	"$(cat firings firings--times)"
run "$DTR" prog --lines --object sum_to -c ./dry
is "$(printf '%s\n' "$out" | awk '$1 == "dry.c" && NF == 4 { print $2 }' | sort -u)" sum_to 'lines of a procedure'
run "$DTR" prog --lines -O lcov -c ./dry
printf '%s\n' "$out" | awk -F '[:,]' '$1 == "DA" { print $2, $3 }' | sort >got
bad=$(join -a 1 lines got | awk 'NF != 3 || $2 != $3')
is "$bad" '' 'lcov: the same executions'

# ---- source files ----
mkdir a b
cat >a/util.c <<'X'
int util_a(int n) { for (int i = 0; i < 3; i++) n += i; return n; }
X
cat >b/util.c <<'X'
int util_b(int n)
{
	return n > 0 ? util_b(n - 1) + 1 : 0;
}
static inline __attribute__((always_inline)) int twice(int n) { return 2 * n; }
int four(int n)
{
	n = twice(n);
	return twice(n);
}
int never(void) { return 1; }
X
cat >two.c <<'X'
int util_a(int), util_b(int), four(int);
int main(void)
{
	return util_a(1) + util_a(2) + util_b(4) + four(0) - 14 ? 1 : 0;
}
X
gcc -O0 -g -w -o two two.c a/util.c b/util.c
run "$DTR" prog --lines -O lcov -c ./two
is "$status:$(printf '%s\n' "$out" | grep '^SF:' | sort | xargs)" \
	"0:SF:$work/a/util.c SF:$work/b/util.c SF:$work/two.c" 'lcov: files are known by their paths'
is "$(printf '%s\n' "$out" | grep '^FNDA:' | sort | xargs)" \
	'FNDA:0,never FNDA:1,four FNDA:1,main FNDA:2,twice FNDA:2,util_a FNDA:5,util_b' 'lcov: calls of functions'
if command -v genhtml >/dev/null; then
	printf '%s\n' "$out" >two.info
	run genhtml -q -o covered two.info
	is "$status" 0 'genhtml reads it' "$err"
fi
run "$DTR" prog --lines -c ./two
is "$(printf '%s\n' "$out" | awk 'NF == 4 && /util.c/ { print $1 }' | sort -u | xargs)" 'a/util.c b/util.c' \
	'text: the ends of the paths'
run "$DTR" prog --lines --times --block b/util.c:1-4 --object b/util.c -c ./two
like "$out" '^b/util.c:1-4 +1 ' 'a block of one of two files with the same name'
is "$(printf '%s\n' "$out" | awk 'NF == 5 && /util.c/ { print $1 }' | sort -u)" util.c '--object of one of them'
run "$DTR" prog --lines -O html -c ./two
like "$out" '<h2>.*/b/util.c</h2>' 'html: paths'
is "$(printf '%s\n' "$out" | grep -c '">int util_[ab](int n)')" 2 'html: both sources'
mv a/util.c a/moved.c
echo secret >util.c
mkfifo a/util.c
run timeout 60 "$DTR" prog --lines -O html -c ./two
like "$out" 'The source is not shown: it is not a regular file' 'html: no source of a FIFO'
is "$(printf '%s\n' "$out" | grep -c secret)" 0 'nor of a file that has the name by chance'
rm a/util.c
if [ "$(id -u)" -eq 0 ]; then
	echo secret >a/util.c
	chmod 600 a/util.c
	run "$DTR" prog --lines -O html -c ./two
	like "$out" 'The source is not shown: not everybody may read it' 'html: nor of a private file'
	rm a/util.c
fi
mkdir -p moved/a
mv a/moved.c moved/a/util.c
run "$DTR" prog --lines -O html --source "$work/moved" -c ./two
is "$(printf '%s\n' "$out" | grep -c '">int util_a(int n)')" 1 '--source'
"$DTR" prog --lines -o two.saved -c ./two >two.text
run "$DTR" merge -O annotated -x sourcedir="$work/moved" two.saved
is "$(printf '%s\n' "$out" | grep -c '">int util_a(int n)')" 1 '-x sourcedir'
run "$DTR" prog --lines --source moved -c ./two
is "$status:$err" "2:dtr prog: --source needs -O html (see dtr prog -h)" '--source of another format'
run "$DTR" -qn 'line$target:b?util.c::entry { @[probefunc, probename] = count(); }
	END { printa("%s %s %@d ", @); }' -c ./two
is "$out" 'four entry 1 twice entry 2 util_b entry 5 ' 'entry in a script'
run "$DTR" -qx linepaths -n 'line$target:two.c:main:entry { printf("%s", probemod); }' -c ./two
is "$out" "$work/two.c" '-x linepaths'

# ---- blocks, parts of the run ----
first=$(awk '/return n \+ sum_to/ { print FNR - 2 }' dry.c)
run "$DTR" prog --lines --block "dry.c:$first-$((first + 2))" -c ./dry
like "$out" "^dry.c:$first-$((first + 2)) +5[05] " 'a block'
run "$DTR" prog --from run --to jumps -c ./dry
is "$(printf '%s\n' "$out" | awk '$1 == "dry" && $2 == "assign" && $3 ~ /^[0-9]+$/ { print $3 }' | tail -n 1)" 500 \
	'--from: calls after that'
is "$(printf '%s\n' "$out" | awk '$1 == "dry" && $2 == "sum_to"')" '' '--from: no calls before'
run "$DTR" prog --from sum_to --to jumps -c ./dry
is "$(printf '%s\n' "$out" | grep -c '^Deepest call: ')" 2 'results when --to is reached, and at the end'

run "$DTR" prog --lines --object sum_to --from 'sum_to /arg0 == 10/' --to jumps -c ./dry
is "$(printf '%s\n' "$out" | awk 'NF == 4 && $3 ~ /^[0-9]+$/ { print $1, $2 }' | sort -u)" 'dry.c sum_to' \
	'--from and --to are not lines of the profile'

# ---- variables ----
if breaks; then
	run "$DTR" prog --vars --object counter --object second.kind -c ./dry
	like "$out" '^[a-z.]+ +second.kind +[0-9]+ ' 'a member'
	like "$out" '^[a-z.]+ +counter +1000 +500 +0 +500$' 'accesses, changes, smallest and largest value'
else
	skip 'variables' 'hardware breakpoints do not fire here'
fi

# ---- sums ----
echo '--procs --object sum_to' >mode
for i in 1 2; do
	run "$DTR" prog --mode mode -o saved -c ./dry
done
is "$status$err" 0 'a mode file, twice'
run "$DTR" prog --sum saved
is "$(printf '%s\n' "$out" | awk '$2 == "sum_to" && $3 ~ /^[0-9]+$/ { print $3 }')" 110 '-o adds up'
run "$DTR" prog --sum saved saved
is "$(printf '%s\n' "$out" | awk '$2 == "sum_to" && $3 ~ /^[0-9]+$/ { print $3 }')" 220 '--sum'

# ---- other formats ----
run "$DTR" prog -O callgrind -c ./dry
is "$(printf '%s\n' "$out" | awk '/^fn=main$/ { main = 1 } /^$/ { main = 0 }
	main && /^cfn=sum_to$/ { getline; print; exit }')" 'calls=5 0' 'callgrind: calls of sum_to by main'
run "$DTR" prog --lines -O callgrind -c ./dry
is "$(printf '%s\n' "$out" | awk '/^events: / { events = $0 } /^fn=never$/ { getline; print events, NF }')" \
	'events: Executions 2' 'callgrind: lines without times'
run "$DTR" prog --lines --times -O callgrind -c ./dry
is "$(printf '%s\n' "$out" | awk '/^events: / { events = $0 } /^fn=never$/ { getline; print events, NF }')" \
	'events: Executions Nanoseconds 3' 'callgrind: lines with times'
run "$DTR" prog --lines -O html -c ./dry
like "$out" 'class="never".*counter = -1;' 'html: the source, with lines that never ran'
is "$(printf '%s\n' "$out" | grep -c 'TIME, ns')" 0 'html: no empty column'
run "$DTR" prog --lines --times -O html -c ./dry
like "$out" '<th>TIME, ns</th>' 'html: times'

# ---- the options and formats that the scripts use, in a script of the user ----
sum='line$target:dry.c:sum_to: { @count[probemod, probefunc, probename] = count(); }'
for i in 1 2; do
	run "$DTR" -q -O tables -x aggprobes=count -x aggsave=own -x aggadd -n "$sum" -c ./dry
	is "$(printf '%s\n' "$out" | awk '$2 == "sum_to" && NF == 4 { print $4 }' | xargs)" '55 55 5 50 55' \
		"-O tables, run $i"
done
run "$DTR" merge -O annotated own
is "$(printf '%s\n' "$out" | grep -c '<td>110</td>')" 3 '-x aggadd, -O annotated'

# ---- other tools count the same ----
if command -v valgrind >/dev/null; then
	run valgrind --tool=callgrind --callgrind-out-file=callgrind ./dry
	# Names are numbers after their first use: "(12) main". A recursive call is one of "main'2".
	awk '/^c?fn=/ { split($0, part, "[()]"); if (part[3] != "") name[part[2]] = substr(part[3], 2) }
		/^cfn=/ { callee = name[part[2]] }
		/^calls=/ { sub(/calls=/, ""); n[callee] += $1 }
		END { for (f in n) print f, n[f] }' callgrind | sed "s/'2 / /" |
		awk '{ n[$1] += $2 } END { for (f in n) print f, n[f] }' | grep -E "^($own) " | sort >valgrind
	is "$(cat valgrind)" "$(cat calls)" "the calls are those of valgrind's callgrind (status $status)"
else
	skip 'callgrind' 'no valgrind'
fi
if command -v callgrind_annotate >/dev/null; then
	"$DTR" prog -O callgrind -c ./dry >profile 2>messages
	run callgrind_annotate --inclusive=yes --threshold=100 profile
	like "$status:$out" '^ *[0-9,]+ \([0-9. ]+%\) .*:compare' 'callgrind_annotate reads -O callgrind'
else
	skip 'callgrind_annotate' 'not installed'
fi
if command -v gcov >/dev/null; then
	mkdir covered
	(cd covered && gcc -O0 --coverage -w -pthread -o covered ../dry.c && ./covered &&
		gcov -o . covered-dry.gcda) >/dev/null 2>&1
	awk -F: '{ gsub(/[ *]/, "", $1); gsub(/ /, "", $2); sub(/#####/, "0", $1) } $1 ~ /^[0-9]+$/ { print $2, $1 }' \
		covered/dry.c.gcov | sort >gcov
	"$DTR" prog --lines -c ./dry | awk '$1 == "dry.c" && NF == 4 { print $3, $4 }' | sort >got
	join gcov got >both
	bad=$(awk '$2 != $3 { print "line " $1 ": " $3 ", gcov: " $2 } END { if (NR < 40) print NR " lines" }' both)
	is "$bad" '' 'the executions are those of gcov'
else
	skip 'as gcov' 'no gcov'
fi

# ---- errors ----
"$DTR" prog --object length -o other -c ./dry >messages 2>&1
run "$DTR" prog --object sum_to -o other -c ./dry
like "$status:$err" '^1:dtr: nothing was added to other: ' 'error: -o with a profile of something else'
run "$DTR" prog --object nosuch -c ./dry
is "$status $(printf '%s\n' "$err" | sed -n 's/line [0-9]*: //; /^dtr: /p')" "1 dtr: failed to compile script \
dtr prog --script: failed to lookup 'nosuch' in module 'a.out'" 'error: an unknown function, once'
usage() { # TEXT ARGUMENT...
	want=$1
	shift
	run "$DTR" prog "$@"
	is "$status $err" "2 dtr prog: $want (see dtr prog -h)" "error: $*"
}
usage '-p PID or -c COMMAND is missing' --lines
usage 'only one of --procs, --lines, --vars can be measured at a time' --lines --vars -c true
usage '--vars needs --object' --vars -c true
usage '--times needs --lines; procedures always have times' --times -c true
usage '--block needs --lines' --block a.c:1-2 -c true
usage '-O lcov needs --lines' -O lcov -c true
usage '-O callgrind has no variables' --vars --object x -O callgrind -c true
usage '-O xml is not a format of profiles: text, html, json, lcov, callgrind' -O xml -c true
usage '--sum needs files' --sum
done_testing
