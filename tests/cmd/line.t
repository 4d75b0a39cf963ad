#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The line provider: how often each line of a program runs, compared with the numbers in its source
# (tests/programs/lines.c) and with gcov.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
with_bpf 'the line provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
cp "$SRC/tests/programs/lines.c" .
every='line$target:lines.c:: { @[probename] = count(); } END { printa("%s %@d\n", @); }'

measure() { # COMMAND: writes "LINE COUNT" of each line that ran to `got`
	rm -f got
	run "$DTR" -q -o got -n "$every" -c "$1"
	sort got | grep . >measured
}

# ---- counts ----
known() { # COMPILER FLAG...
	command -v "$1" >/dev/null || { skip "known counts: $*" "no $1"; return; }
	"$@" -w -pthread -o lines lines.c || { skip "known counts: $*" 'does not compile'; return; }
	measure ./lines
	awk 'NR == FNR { got[$1] = $2; next }
		match($0, /\/\* = [0-9]+ \*\//) {
			want = substr($0, RSTART + 5) + 0
			n++
			if (got[FNR] + 0 != want) { bad++; print "line " FNR ": " got[FNR] + 0 ", known: " want }
		}
		END { exit n < 55 || bad }' measured lines.c >differences
	ok $? "known counts: $*" "$(cat differences)" "$err"
}
known gcc -O0 -g
[ -n "${DTR_PART-}" ] || {
known gcc -O0 -gdwarf-4 -no-pie
known gcc -O0 -g -static
known gcc -O0 -g -fno-jump-tables
known clang -O0 -g
known clang -O0 -gdwarf-4
}

# gcov counts the first line of a function at its declaration, and `case N:` without code; those are left out.
if command -v gcov >/dev/null; then
	mkdir covered
	(cd covered && gcc -O0 --coverage -w -pthread -o covered ../lines.c && ./covered &&
		gcov -o . covered-lines.gcda) >/dev/null 2>&1
	awk -F: '{ gsub(/[ *]/, "", $1); gsub(/ /, "", $2) } $1 ~ /^[0-9]+$/ { print $2, $1 }' covered/lines.c.gcov |
		sort >gcov
	gcc -O0 -g -w -pthread -o lines lines.c
	measure ./lines
	join gcov measured >both
	awk '$2 != $3 { bad++; print "line " $1 ": " $3 ", gcov: " $2 } END { exit NR < 55 || bad }' both >differences
	ok $? 'as gcov' "$(cat differences)"
elif [ -z "${DTR_PART-}" ]; then
	skip 'as gcov' 'no gcov'
fi

line_of() { awk -v text="$1" 'index($0, text) { print FNR; exit }' "${2:-lines.c}"; }
counts() { # NAME WANT DESCRIPTION COMMAND
	run "$DTR" -qn "line\$target:$3 { @ = count(); } END { printa(\"%@d\", @); }" -c "$4"
	is "$out$err" "$2" "$1"
}
times=$(line_of 'threads */')
counts 'threads' 400 "lines.c::$times" './lines threads'
counts 'a child is not traced' 10 "lines.c:loops:$(line_of 'n += i;')" './lines fork'
counts 'the same program after exec' 20 "lines.c:loops:$(line_of 'n += i;')" './lines exec'
counts 'recursion' 6 "lines.c:factorial:$(line_of 'if (n < 2)')" ./lines
counts 'a pattern of lines' 13 "lines.c:factorial:$(($(line_of 'if (n < 2)') / 10))?" ./lines
counts 'a function in any file' 5 ":factorial:$(line_of 'return n * fact')" ./lines
counts 'a pattern of files and functions' 8 "line?.c:tw*:$(line_of 'return 2 * x')" ./lines
counts 'the end of a path' 8 "${work##*/}?lines.c:twice:$(line_of 'return 2 * x')" ./lines

run "$DTR" -qn "line\$target:lines.c::$(line_of 'return 2 * x') { printf(\"%s %s %s %d\", probemod, probefunc,
	probename, pid == \$target); ustack(2); exit(0); }" -c ./lines
is "$(printf '%s' "$out" | sed 's/+0x.*//' | tr -s '\n ' ' ')" \
	"lines.c twice $(line_of 'return 2 * x') 1 lines\`twice lines\`branches" \
	'probemod, probefunc, probename, ustack()'
run "$DTR" -ln "line\$target:lines.c:twice:" -c ./lines
is "$(printf '%s\n' "$out" | awk '/ line[0-9]+ / { print $3, $4, $5 - '"$(line_of 'return 2 * x')"' }' | sort -n |
	tr '\n' ,)" 'lines.c twice -1,lines.c twice 0,lines.c twice 1,' '-l'

# ---- inlined copies, headers, libraries ----
cat >shared.h <<'X'
static inline __attribute__((always_inline)) int thrice(volatile int *x)
{
	*x = *x + 1;
	*x = *x * 3;
	return *x;
}
X
cat >library.c <<'X'
#include "shared.h"
int used(volatile int *x) { return thrice(x); }
X
cat >main.c <<'X'
#include "shared.h"
int used(volatile int *x);
static volatile int a, b;
static void other(void) { thrice(&b); }
int main(void)
{
	for (int i = 0; i < 4; i++)
		thrice(&a);
	thrice(&b);
	other();
	used(&b);
	used(&b);
	return 0;
}
X
gcc -O2 -g -shared -fPIC -o libshared.so library.c && gcc -O2 -g -o inlined main.c ./libshared.so
run "$DTR" -qn 'line$target:shared.h:thrice:4 { @[probefunc, probename] = count(); }
	END { printa("%s %s %@d,", @); }' -c ./inlined
is "$out$err" 'thrice 4 8,' 'each inlined copy, in the program and in a library'
counts 'a source of a library' 2 library.c::2 ./inlined

# ---- a running process ----
cat >running.c <<'X'
#include <stdio.h>
int main(void)
{
	int n = 0;
	while (getchar() == 'a')
		n++;
	return n;
}
X
gcc -O0 -g -o running running.c
mkfifo input
./running <input &
pid=$!
children="$children $pid"
exec 9>input
wait_until executes $pid running
"$DTR" -qn 'BEGIN { printf("begin\n"); } line$target:running.c:main:6 { @ = count(); } END { printa("%@d\n", @); }' \
	-p $pid >all 2>&1 &
dtr=$!
children="$children $dtr"
wait_until grep -q begin all
printf aaaaab >&9
exec 9>&-
wait $dtr
is "$(tr '\n' ' ' <all)" 'begin 5 ' '-p'

part_ends
# ---- errors ----
refused() { # NAME TAG TEXT DESCRIPTION [PROGRAM]
	run "$DTR" -x errtags -n "line\$target:$4" -c "${5:-./lines}"
	like "$status $err" "^1 dtr: invalid probe specifier .*\[$2\] line 1: $3\$" "$1"
}
gcc -O0 -w -pthread -o bare lines.c
refused 'no debugging information' D_PROC_LIB \
	'process [0-9]+ .*bare. has no debugging information: compile with -g, .*-dbgsym.*DEBUGINFOD_URLS' lines.c::5 \
	./bare
refused 'an unknown file' D_PROC_LIB "no source file 'nosuch.c' in the debugging information of process [0-9]+ .*" \
	nosuch.c::5
refused 'an unknown function' D_PROC_FUNC "failed to lookup 'nosuch' in source file 'lines.c'" lines.c:nosuch:5
refused 'a line without a statement' D_PROC_NAME \
	'no statement begins at line 1 of lines.c; the next one begins at line [0-9]+' lines.c::1
refused 'a line of another function' D_PROC_NAME \
	"no statement begins at line $times of lines.c in function 'twice'" "lines.c:twice:$times"
refused 'an invalid line' D_PROC_NAME \
	"'return' is an invalid probe name: the name is the number of a line, or 'entry'" lines.c::return
refused 'neither file nor function' D_PROC_NAME 'the line provider needs a source file or a function: .*' ::5
run "$DTR" -x errtags -n 'line$target:lines.c::5'
like "$err" "\[D_PROC_BADPID\] line 1: 'line0' does not contain a valid pid" 'no target'
run "$DTR" -x errtags -n 'line$target:nosuch*.c::' -c ./lines
like "$err" '\[D_PDESC_ZERO\] .*does not match any probes: no statements of process [0-9]+ match it' 'a pattern'
cat >locked.c <<'X'
int x;
int main(void)
{
	__atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST);
	return 0;
}
X
gcc -O2 -g -o locked locked.c
refused 'an instruction that cannot be probed' D_PROC_CREATEFAIL \
	'failed to create probe at locked.c:main:4: it has a lock prefix' locked.c::4 ./locked
run "$DTR" -qn 'line$target:locked.c:: { @ = count(); }' -c ./locked
like "$err" 'warning: 2 instructions that patterns match cannot be probed, the first locked.c:main:[34]: it has a' \
	'a pattern matches such an instruction'

# ---- libraries that are loaded later ----
cat >plugin.c <<'X'
int plugin_run(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
X
cat >host.c <<'X'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);

		((int (*)(int))dlsym(library, "plugin_run"))(100);
		dlclose(library);
	}
	return 0;
}
X
gcc -O0 -g -shared -fPIC -o one.so plugin.c
cp one.so two.so
gcc -O0 -g -o host host.c
rows() { printf '%s\n' "$out" | awk 'NF == 4 { print $1, $2, $3, $4 }' | sort | xargs; }
run "$DTR" -Zqn 'line$target:plugin.c::6, line$target:plugin.c::[1-3] {
		@[probemod, probefunc, probename] = count(); }' \
	-c './host ./one.so ./one.so'
is "$(rows)" 'plugin.c plugin_run 2 2 plugin.c plugin_run 3 2 plugin.c plugin_run 6 200' \
	'a library that is loaded and removed while it runs'
run "$DTR" -Zqn 'line$target:plugin.c:plugin_run:6 { @ = count(); }' -c './host ./one.so ./two.so'
is "$(printf '%s' "$out" | tr -dc 0-9)" 200 'two libraries with the same source file'
run "$DTR" -Zqn 'line$target:plugin.c:plugin_run:6 { @ = count(); }' -c 'sh -c "exec ./host ./one.so"'
is "$(printf '%s' "$out" | tr -dc 0-9)" 100 'a library of a program that it executes'
done_testing
