#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -x lineblocks: one instruction is probed for all lines of a basic block, and each line is counted as often as without.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
with_bpf 'the line provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
for f in switches.c leaves.c lines.c dry.c thrown.cc; do
	cp "$SRC/tests/programs/$f" .
done

# measure NAME SCRIPT FILE COMMAND [OPTION...]: writes the script's lines, sorted, to NAME; sets $firings.
measure() {
	name=$1 script=$2 file=$3 command=$4
	shift 4
	rm -f lines.out
	run "$DTR" -q -x cost -o lines.out "$@" -n "line\$target:$file:: $script" -c "$command"
	sort lines.out | grep . >"$name"
	firings=$(printf '%s\n' "$err" | awk '$2 ~ /^[0-9]+$/ && $1 ~ /^[0-9]+$/ { n += $2 } END { print n + 0 }')
}
count='{ @[probename, probefunc] = count(); } END { printa("%@d %s %s\n", @); }'
total() { awk '{ n += $1 } END { print n + 0 }' "$1"; }

# ---- counts ----
same() { # FILE COMPILER FLAG...
	file=$1
	shift
	what="$file: $*"
	command -v "$1" >/dev/null || { skip "$what" "no $1"; return; }
	"$@" -g -w -pthread -o program "$file" || { skip "$what" 'does not compile'; return; }
	measure plain "$count" "$file" ./program
	each=$firings
	measure blocks "$count" "$file" ./program -x lineblocks
	ok "$(cmp -s plain blocks && [ "$(total plain)" = "$each" ] && [ "$firings" -gt 0 ] &&
		[ "$firings" -lt "$each" ]; echo $?)" "$what" "$(diff plain blocks)" "firings: $each, $firings" "$err"
}
for flags in -O0 -O2 '-O2 -no-pie -fno-pic' '-Os -static'; do
	for file in switches.c leaves.c lines.c dry.c; do
		# shellcheck disable=SC2086 # several flags
		same $file gcc $flags
	done
	# shellcheck disable=SC2086
	same thrown.cc g++ $flags
done
for flags in -O0 -O2 '-O2 -no-pie -fno-pic'; do
	# shellcheck disable=SC2086
	same switches.c clang $flags
	# shellcheck disable=SC2086
	same leaves.c clang $flags
done
same thrown.cc clang++ -O2
same switches.c gcc -O1 -fcf-protection=full
same switches.c gcc -O2 -mcmodel=large -fno-pic -no-pie
same switches.c gcc -O0 -fno-jump-tables

# ---- how many probes ----
cat >five.c <<'X'
volatile int a, b, c, d, e;
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		a = i;
		b = a + 1;
		c = b * 2;
		d = c - a;
		e = d ^ b;
	}
	return 0;
}
X
gcc -O0 -g -o five five.c
measure plain "$count" five.c ./five
is "$(total plain) $firings" '6004 6004' 'a loop of five lines'
measure blocks "$count" five.c ./five -x lineblocks
is "$(cat blocks)" "$(cat plain)" 'a loop of five lines: the same counts'
ok "$([ "$firings" -le 2004 ]; echo $?)" 'the body of a loop is one block, its condition another' "$firings"

# ---- where ----
if command -v objdump >/dev/null; then
	gcc -O0 -g -w -no-pie -fno-pic -o program switches.c
	objdump -d --no-show-raw-insn program | awk '$1 ~ /^[0-9a-f]+:$/ { sub(/:/, "", $1); print $1, $2 }' |
		sort >instructions
	pcs() { # OPTION...: the instructions at which probes fire
		rm -f lines.out
		"$DTR" -q -o lines.out "$@" -n 'line$target:switches.c:: { @[uregs[R_PC]] = count(); }
			END { printa("%x\n", @); }' -c ./program
		sort lines.out | grep . | join - instructions
	}
	emulated() { awk '$2 ~ /^(j|call|push|nop)/ { n++ } END { print (NR > 9), (4 * n > NR) }'; }
	is "$(pcs -x lineblocks | emulated)" '1 1' 'instructions that the kernel emulates are preferred'
	is "$(pcs | emulated)" '1 0' 'without the option, probes are at the beginnings of lines'
else
	skip 'where probes are' 'no objdump'
fi

# ---- clauses ----
script='BEGIN { self->last = 0; }
	line$target:five.c:: {
		self->n += strtoll(probename);
		printf("%s %d %d\n", probename, self->n, self->last);
		self->last = self->n;
	}'
rm -f plain blocks
"$DTR" -q -x bufsize=16m -o plain -n "$script" -c ./five
"$DTR" -q -x bufsize=16m -o blocks -x lineblocks -n "$script" -c ./five
ok "$(cmp -s plain blocks; echo $?)" 'clauses run in the order of the lines' "$(diff plain blocks | head)"
run "$DTR" -q -x lineblocks -n 'line$target:five.c::6 { exit(0); }
	line$target:five.c::[5-9] { printf("%s ", probename); }' -c ./five
is "$out" '5 ' 'exit() ends the block'
run "$DTR" -q -x lineblocks -n 'line$target:five.c::[5-9] /probename == "7" && self->i++ == 3/ { trace(*(int *)0); }
	line$target:five.c::[5-9] { @ = count(); } ERROR { printf("%s %d ", probename, arg4); }
	END { printa("%@d", @); }' -c ./five
is "$out" 'ERROR 1 5000' 'a fault ends its clause only'
long=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "@[%d, probename] = count();", i % 7 }')
run "$DTR" -q -x cost -x lineblocks -n "line\$target:five.c::[5-9] { $long } END { printa(\"%d %s %@d\n\", @); }" \
	-c ./five
is "$(printf '%s\n' "$out" | awk 'NF == 3 && $3 >= 428000 && $3 <= 429000' | wc -l) $(printf '%s\n' "$err" |
	awk '$1 == "5" { print $2 }')" '35 5000' \
	'a program that is too long for that fires at each line'

# ---- the process and its files ----
cat >plugin.c <<'X'
volatile int a, b;
int plugin_run(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		a = i;
		b = a;
		sum += b;
	}
	return sum;
}
X
cat >host.c <<'X'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		((int (*)(int))dlsym(dlopen(argv[i], RTLD_NOW), "plugin_run"))(100);
	return 0;
}
X
gcc -O0 -g -shared -fPIC -o one.so plugin.c
gcc -O0 -g -o host host.c
measure plain "$count" plugin.c './host ./one.so' -Z
measure blocks "$count" plugin.c './host ./one.so' -Z -x lineblocks
is "$(cat blocks)" "$(cat plain)" 'a library that is loaded while it runs'
is "$(awk '$2 >= 7 && $2 <= 9 { n += $1 } END { print n }' blocks) $((firings < $(total plain)))" '300 1' \
	'fewer firings in such a library'
cat >forks.c <<'X'
#include <sys/wait.h>
#include <unistd.h>
volatile int a, b;
int main(void)
{
	for (int i = 0; i < 3; i++)
		fork();
	a = 1;
	b = a;
	a = b + 1;
	while (wait(NULL) > 0)
		;
	return 0;
}
X
gcc -O0 -g -o forks forks.c
run "$DTR" -qn 'line$target:forks.c::[89],line$target:forks.c::10 { @[probename] = count(); }
	END { printa("%s %@d\n", @); }' -x lineblocks -x followfork -c ./forks
is "$(printf '%s\n' "$out" | sort -n | xargs)" '8 8 9 8 10 8' 'children'
done_testing
