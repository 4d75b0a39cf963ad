#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The pid provider: entries, returns and instructions of programs that know how often each of their functions is entered
# and returns (tests/programs), compiled in many ways.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
need_room
with_bpf 'the pid provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
programs=$SRC/tests/programs
kinds='recursion threads tail longjmp switch cold arguments fork vfork signal'

# NAME COMMAND: the counts of the functions that the program prints are equal to those of its probes.
counts_equal() {
	name=$1
	rm -f got
	run "$DTR" -q -o got -n '
		pid$target:a.out::entry, pid$target:a.out::return { @[probefunc, probename] = count(); }
		END { printa("%s %s %@d\n", @); }' -c "$2"
	sort out >own
	awk 'NR == FNR { known[$1] = 1; next } known[$1]' own got | sort >measured
	if [ -s own ] && cmp -s own measured; then ok 0 "$name"; else ok 1 "$name" "$(diff own measured)" "$err"; fi
}

# A function that consists of a return: both probes are at one instruction.
echo 'void nothing(void); __asm__(".globl nothing; .type nothing, @function; nothing: ret; .size nothing, 1");
	int main(void) { for (int i = 0; i < 10; i++) nothing(); return 0; }' >nothing.c
gcc -O1 -o nothing nothing.c
first='pid$target:a.out:nothing:entry { self->in = 1; }'
second='pid$target:a.out:nothing:return { @[self->in] = count(); self->in = 0; }'
for script in "$first $second" "$second $first"; do
	rm -f got
	run "$DTR" -q -o got -n "self int in; $script END { printa(\"%d %@d\\n\", @); }" -c ./nothing
	is "$(cat got)" '1 10' 'the entry fires before the return'
done

# Replaced return addresses (-x uretprobe): arg0 is 0, and the result is the same.
echo '__attribute__((noinline)) int twice(int x) { __asm__ volatile("nop"); return 2 * x; }
	int main(void) { for (int i = 0; i < 10; i++) twice(21); return 0; }' >twice.c
gcc -O1 -o twice twice.c
for option in '' uretprobe; do
	rm -f got
	run "$DTR" ${option:+-x $option} -q -o got -n 'pid$target:a.out:twice:return { @[!arg0, (int)arg1] = count(); }
		END { printa("%d %d %@d\n", @); }' -c ./twice
	is "$status$err $(cat got)" "0 $([ "$option" ] && echo 1 || echo 0) 42 10" "returns${option:+, -x $option}"
done

compile() { # COMPILER FLAG...
	compiler=$1
	shift
	"$compiler" -w "$@" -pthread -I"$programs" -o calls "$programs/calls.c" 2>compile.err
}

each() { # COMPILER FLAG...
	in_part "$*" 'gcc -O2' 'gcc -O0 -no-pie -fno-pie' || return
	if ! command -v "$1" >/dev/null; then skip "counts: $*" "no $1"
	elif compile "$@"; then counts_equal "counts: $*" "./calls $kinds"
	else skip "counts: $*" "$(head -1 compile.err)"; fi
}

for flags in -O0 -O1 -O2 -O3 -Os; do
	each gcc $flags
	each clang $flags
done
each gcc -O2 -fcf-protection=full
each gcc -O2 -no-pie -fno-pie
each gcc -O0 -no-pie -fno-pie
each gcc -O2 -static
each gcc -O3 -fomit-frame-pointer -fno-jump-tables
each gcc -O2 -freorder-blocks-and-partition -fno-asynchronous-unwind-tables

if command -v g++ >/dev/null; then
	g++ -O2 -w -I"$programs" -o throw "$programs/throw.cc"
	counts_equal 'counts: functions that exceptions leave' ./throw
	run "$DTR" -qn 'pid$target:a.out:shapes??square??area*:entry { @ = count(); }' -c ./throw
	like "$out" '^ *30$' 'a pattern matches the name of C++'
elif [ -z "${DTR_PART-}" ]; then
	skip 'counts: functions that exceptions leave' 'no g++'
	skip 'a pattern matches the name of C++' 'no g++'
fi

# ---- functions that are chosen at run time ----
cat >chosen.c <<'X'
static int yes(int x) { return x + 1; }
static int no(int x) { return x + 2; }
static int (*choose(void))(int) { return __builtin_cpu_init(), __builtin_cpu_supports("sse2") ? yes : no; }
int work(int x) __attribute__((ifunc("choose")));
int main(void)
{
	int n = 0;

	for (int i = 0; i < 100; i++)
		n += work(i);
	return n != 5050;
}
X
if gcc -O1 -o chosen chosen.c 2>compile.err; then
	run "$DTR" -qn '
		pid$target:a.out:work:entry, pid$target:a.out:work:return { @[probefunc, probename] = sum(arg0); }
		pid$target:a.out:work:return { @r = sum(arg1); }' -c ./chosen
	like "$out" '^ *work +entry +4950$' 'an IFUNC: the function that was chosen'
	like "$out" '^ *5050$' 'an IFUNC: its results'
	run "$DTR" -qn 'pid$target:a.out:*:entry { @[probefunc] = count(); }' -c ./chosen
	unlike "$out" '^ *work ' 'a pattern matches the function itself, not the IFUNC'
else
	skip 'an IFUNC: the function that was chosen' "$(head -1 compile.err)"
	skip 'an IFUNC: its results' 'no IFUNC'
	skip 'a pattern matches the function itself, not the IFUNC' 'no IFUNC'
fi

# ---- arguments ----
compile gcc -O2
run "$DTR" -qn 'pid$target:a.out:ten:entry {
		printf("%d %d %d %d %d ", arg0, arg1, arg2, arg3, arg4);
		printf("%d %d %d %d %d\n", arg5, arg6, arg7, arg8, arg9);
	}
	pid$target:a.out:ten:return { printf("%d\n", arg1); }' -c './calls arguments'
is "$(printf '%s\n' "$out" | grep -v ' [er]')" '1 2 3 4 5 6 7 8 9 10
55
-1 -2 -3 -4 -5 -6 -7 -8 -9 -10
-55' 'ten arguments, and the result'
run "$DTR" -qn 'pid$target:a.out:factorial:entry { self->n[self->depth++] = arg0; }
	pid$target:a.out:factorial:return /self->n[--self->depth] == arg0/ { x++; }
	pid$target:a.out:factorial:return { @["at", arg0] = count(); @["of", self->n[self->depth]] = count(); }' \
	-c './calls recursion'
is "$(printf '%s\n' "$out" | awk '$1 == "of" { n += $3 } $1 == "at" && $2 > 0 { m += $3 } END { print n, m }')" \
	'191 191' 'thread-local variables in recursion; the offset of the return'
run "$DTR" -qn 'pid$target:a.out:leaf:entry { @[probeprov == strjoin("pid", lltostr($target)), probemod, probefunc,
	probename, pid == $target, uregs[R_PC] != 0] = count(); }' -c './calls recursion fork'
like "$out" '^ *1 +a.out +leaf +entry +1 +1 +1$' 'probeprov, probemod, probefunc, probename, pid, uregs[]'

part_ends
# ---- types of arguments ----
cat >typed.c <<'X'
#include <stdint.h>
#ifdef __clang__
#define KNOWN __attribute__((noinline, optnone))
#else
#define KNOWN __attribute__((noipa))
#endif
typedef const char *text;
enum color { RED = -3, BLUE };
enum size { SMALL, LARGE };
struct big { long a[9]; };
KNOWN int mixed(char c, unsigned short s, double d, int i, text t, enum color e, enum size z, long l, _Bool b)
{
	return -i + (c + s + d + *t + e + z + l + b) * 0;
}
KNOWN unsigned char narrow(int64_t x, const void *p) { return p ? x : x + 1; }
KNOWN struct big large(int x) { return (struct big){ { x } }; }
KNOWN long part(float f, int x, struct big b, int y) { return f + x + b.a[0] + y; }
KNOWN double real(int x) { return x; }
KNOWN void nothing(void) { __asm__ volatile(""); }
int main(void)
{
	mixed(-1, 65535, 1.5, -2147483647, "hello", RED, LARGE, -5, 1);
	narrow(510, 0);
	part(1, 2, large(1), 3);
	real(4);
	nothing();
	return 0;
}
X
typed='
	pid$target:a.out:mixed:entry { printf("%d %d %d %s %d %d %d %d\n", args[0], args[1], args[3], stringof(args[4]),
		args[5], args[6], args[7], args[8]); }
	pid$target:a.out:mixed:return { printf("mixed %d\n", args[1]); }
	pid$target:a.out:narrow:entry { printf("%d %d\n", args[0], args[1] == NULL); }
	pid$target:a.out:narrow:return { printf("narrow %d\n", args[1]); }
	pid$target:a.out:part:entry { printf("%d\n", args[1]); }'
for row in 'gcc -O0 -g' 'gcc -O2 -g' 'gcc -O2 -gdwarf-4' 'clang -O0 -g' 'clang -O2 -g'; do
	# shellcheck disable=SC2086
	if ! $row -w -o typed typed.c 2>/dev/null; then skip "args[]: $row" 'not available'; continue; fi
	run "$DTR" -qn "$typed" -c ./typed
	is "$out" '-1 65535 -2147483647 hello -3 1 -5 1
mixed 2147483647
510 1
narrow 255
2' "args[]: $row"
done
gcc -O2 -g -w -o typed typed.c
types_of() { # FUNCTION:NAME
	"$DTR" -lvn "pid\$target:a.out:$1" -c ./typed 2>&1 |
		awk '/Argument Types/ { on = 1; next } on { $1 = $1; print }' |
		grep . | paste -sd' '
}
is "$(types_of mixed:entry)" 'args[0]: int8_t args[1]: uint16_t args[2]: double args[3]: int32_t args[4]: userland'\
' char * args[5]: int32_t args[6]: uint32_t args[7]: int64_t args[8]: uint8_t' '-lv: types of parameters'
is "$(types_of narrow:return)" 'args[0]: uint64_t args[1]: uint8_t' '-lv: the type of the result'
is "$(types_of part:entry)" 'args[0]: float args[1]: int32_t' '-lv: parameters before a structure'
is "$(types_of large:entry) $(types_of nothing:entry)" 'None None' '-lv: a hidden parameter; no parameters'
is "$(types_of real:return) $(types_of nothing:return)" 'args[0]: uint64_t args[0]: uint64_t' \
	'-lv: results without a type in D'
run "$DTR" -x errtags -n 'pid$target:a.out:mixed:entry { trace(args[2]); }' -c ./typed
like "$status $err" '^1 .*\[D_ARGS_IDX\] line 1: args\[2\] cannot be read: it is a floating-point number' \
	'a floating-point argument'
strip -g typed
run "$DTR" -x errtags -n 'pid$target:a.out:mixed:entry { trace(args[0]); }' -c ./typed
like "$status $err" '^1 .*\[D_ARGS_IDX\] line 1: index 0 is out of range' 'args[] without debugging information'

# ---- stacks ----
gcc -O0 -w -pthread -I"$programs" -o calls "$programs/calls.c"
run "$DTR" -qn 'pid$target:a.out:leaf:entry, pid$target:a.out:leaf:return { @[probename, ustack(3)] = count(); }' \
	-c './calls longjmp'
is "$(printf '%s\n' "$out" | sed 's/^ *//; s/^.*`//; s/[+]0x.*//; s/ *$//' | grep -v '[a-z] [er]' | xargs)" \
	'entry leaf jumper lander 50 return leaf jumper lander 50' 'stacks at the entry and at the return'

# ---- instructions ----
compile gcc -O2
run "$DTR" -qn 'pid$target:a.out:leaf: { @[probename] = count(); }' -c './calls longjmp'
printf '%s\n' "$out" |
	awk 'NF == 2 && $1 ~ /^[0-9a-f]+$/ { print $1 }' | sort >measured
# The offsets of the instructions of leaf
offsets() {
	set -- $(nm -S calls | awk '$4 == "leaf" { print $1, $2 }')
	objdump -d --no-show-raw-insn --start-address="0x$1" --stop-address=$((0x$1 + 0x$2)) calls |
		awk '/:\t/ { sub(":", "", $1); print $1, $2 }' |
		while read -r at name; do printf '%x %s\n' $((0x$at - 0x$1)) "$name"; done
}
offsets | awk '$2 != "lock" { print $1 }' | sort >own
ok "$(cmp -s own measured && [ -s own ]; echo $?)" 'an empty name: each instruction' "$(diff own measured)"
like "$err" "warning: 2 instructions that patterns .* probed, the first a.out:leaf:[0-9a-f]+: .*lock prefix" \
	'instructions that cannot be probed are reported'
is "$(printf '%s\n' "$out" | awk 'NF == 2 && $2 != 50')" '' 'each instruction is executed as often'
run "$DTR" -qn 'pid$target:a.out:leaf:0x0, pid$target:a.out:leaf:0 { @ = count(); }' -c './calls longjmp'
like "$out" '^ *100$' 'an offset, written in two ways, is one probe: the clause runs once for each description'
at=$(offsets | awk '$2 == "lock" { print $1; exit }')
run "$DTR" -n "pid\$target:a.out:leaf:$at" -c './calls longjmp'
like "$status $err" "^1 dtr: .*failed to create probe at 'leaf.0x$at': it has a lock prefix" \
	'an instruction that cannot be probed, by its name'
gcc -O2 -w -no-pie -pthread -I"$programs" -o fixed "$programs/calls.c"
run "$DTR" -qn "pid\$target::-:$(nm fixed | awk '$3 == "leaf" { print $1 }') { @[probefunc] = count(); }" \
	-c './fixed longjmp'
like "$out" '^ *- +50$' 'the function "-": an address'

# Each instruction is executed as before: the kernel executes some of them elsewhere, and takes some for others.
for flags in -O2 '-O3 -march=native' '-O3 -march=native -mprefer-vector-width=512'; do
	# shellcheck disable=SC2086
	gcc -w $flags -o vectors "$programs/vectors.c" -lm
	./vectors >own
	rm -f got
	run "$DTR" -q -o got -n 'pid$target:a.out::, pid$target:libc:__memset_*: { @ = count(); }' -c ./vectors
	same "$out" "$(cat own)" "a program with a probe at each instruction: $flags"
	between "$(tr -dc 0-9 <got)" 10000 100000000 "instructions that were executed: $flags"
done

# ---- running processes ----
# For each byte that it reads, it calls work() 100 times and then writes a line.
cat >waits.c <<'X'
#include <unistd.h>
__attribute__((noipa)) int work(int x) { return x + 1; }
int main(void)
{
	char c;

	while (read(0, &c, 1) == 1) {
		for (int i = 0; i < 100; i++)
			work(i);
		if (write(1, "done\n", 5) != 5)
			return 1;
	}
	return 0;
}
X
gcc -O2 -o waits waits.c
for i in 1 2 3; do
	mkfifo in$i
	./waits <in$i >out$i &
	eval "p$i=$!; children=\"\$children \$!\""
	eval "exec $((i + 3))>in$i"
done
"$DTR" -o both -qn 'pid$1:a.out:work:entry, pid$2:a.out:work:entry { @[pid, probeprov] = count(); }
	BEGIN { printf("ready\n"); } pid$1:a.out:work:return /++n == 300/ { exit(0); }' "$p1" "$p2" 2>err &
dtr=$!
children="$children $dtr"
wait_for ready both
has_done() { [ "$(grep -c done "out$1")" = "$2" ]; } # PROCESS N
printf 'xx' >&5
printf 'xxxxx' >&6
wait_until has_done 2 2
wait_until has_done 3 5
printf 'xxx' >&4
wait "$dtr"
is "$(awk 'NF == 3 { print $1, $2, $3 }' both | sort)" "$(printf '%s\n' "$p1 pid$p1 300" "$p2 pid$p2 200" | sort)" \
	'several processes; a third one is not traced'
run "$DTR" -l -n 'pid$target:::entry' -p "$p1"
like "$out" "pid$p1 +a.out +work entry" '-l of a running process: the program'
like "$out" "pid$p1 +libc.so.6 +malloc entry" '-l of a running process: a library'
run "$DTR" -l -n 'pid$target:libc:mallo?:' -p "$p1"
like "$out" "pid$p1 +libc.so.6 +malloc return" '-l: the name of a library without its version'
unlike "$out" 'a.out' '-l: only of this library'

# The code of a process is as before when dtr has ended, in whatever way.
text_of() { # PID
	awk -v p="$PWD/waits" '$2 ~ /x/ && $NF == p { split($1, a, "-"); print a[1], $3 }' "/proc/$1/maps" |
		while read -r at off; do
			dd if="/proc/$1/mem" bs=4096 count=1 skip=$((0x$at / 4096)) 2>/dev/null | cmp -n 4096 -i \
				"0:$((0x$off))" - waits
		done
}
text_same() { [ -z "$(text_of "$1")" ]; }
"$DTR" -o killed -qn 'pid$1:a.out::entry, pid$1:a.out:work: { @ = count(); } BEGIN { printf("ready\n"); }' "$p1" 2>err &
dtr=$!
children="$children $dtr"
wait_for ready killed
ok "$([ -n "$(text_of "$p1")" ]; echo $?)" 'probes are in the code of the process'
kill -9 "$dtr"
wait "$dtr" 2>/dev/null
wait_until text_same "$p1"
is "$(text_of "$p1")" '' 'no breakpoint is left after kill -9'
run "$DTR" -qn 'pid$1:a.out:work: { @ = count(); } BEGIN { exit(0); }' "$p1"
is "$status:$(text_of "$p1")" '0:' 'no breakpoint is left after the end'

# ---- the start of a command ----
cat >early.c <<'X'
__attribute__((noipa)) int work(int x) { return x + 1; }
__attribute__((constructor)) static void early(void) { work(1), work(2); }
int main(void) { return work(0) != 1; }
X
gcc -O2 -o early early.c
gcc -O2 -s -o stripped early.c -rdynamic
for row in auto:3 exec:3 preinit:3 postinit:1 main:1; do
	for program in early stripped; do
		run "$DTR" -x evaltime="${row%:*}" -qn 'pid$target:a.out:work:entry { @ = count(); }' -c "./$program"
		is "$status $(printf '%s' "$out" | tr -dc 0-9)" "0 ${row#*:}" "$program: evaltime=${row%:*}"
	done
done
# Another tracer has a probe of its own where the dynamic linker reports that libraries are loaded.
linker=$(readelf -l ./early | sed -n 's/.*interpreter: \(.*\)]/\1/p')
off=0x$(readelf -W --dyn-syms "$linker" | awk '$8 ~ /^_dl_debug_state/ { print $2; exit }')
mkfifo hold there
"$here/tests/kernel/uprobe_all" "$(readlink -f "$linker")" "$off" <hold >there 2>/dev/null &
exec 8>hold
if read -r line <there; then
	run "$DTR" -qn 'pid$target:a.out:work:entry { @ = count(); }' -c ./early
	is "$status $(printf '%s' "$out" | tr -dc 0-9)" '0 3' 'early: a probe of another tracer in the dynamic linker'
else
	skip 'early: a probe of another tracer in the dynamic linker' 'no probe in all processes is possible'
fi
exec 8>&-
run "$DTR" -x evaltime=exec -n 'pid$target:libc:malloc:entry' -c ./early
like "$err" "has no module 'libc'" 'evaltime=exec: libraries are not loaded yet'
run "$DTR" -qn 'pid$target:libc:malloc:entry { @ = count(); }' -c 'ls /'
like "$out" '^ *[0-9]+$' 'a library, in place before the program starts'
run "$DTR" -qn 'pid$target:a.out:main:entry { exit(3); }' -c 'sleep 100'
like "$status $err" '^1 .*failed to lookup .main. in module .a.out' 'a stripped program has no main'
gcc -O2 -s -o bare early.c
run "$DTR" -qn 'pid$target:a.out::entry { @ = count(); }' -c ./bare
like "$status $err" "^1 .*module 'a.out' has no symbols .it is stripped.\$" 'a program without symbols'
run "$DTR" -qn 'pid$target:a.out::entry, pid$target:a.out::return { @ = count(); }' -c ./bare
is "$status $(printf '%s\n' "$err" | grep -c 'no symbols')" '1 1' 'it is reported once'
run "$DTR" -qn 'pid$target:a.out:main:entry { @ = count(); }' -c ./bare
like "$status $err" "^1 .*lookup 'main' in module 'a.out': it has no symbols .it is stripped.\$" 'one function of it'

# ---- libraries that are loaded later, other programs ----
cat >plugin.c <<'X'
__attribute__((noipa)) int plugin_work(int x) { return x + 1; }
int plugin_run(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += plugin_work(i);
	return sum;
}
X
# host WORD...: FILE: loads a library, runs it and removes it, unless `keep` comes before; exec COMMAND...: executes
# another program; wait: for a byte
cat >host.c <<'X'
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>
__attribute__((noipa)) int own(int x) { return x + 1; }
int main(int argc, char **argv)
{
	int keep = 0;
	char c;

	for (int i = 1; i < argc; i++) {
		void *library;

		if (!strcmp(argv[i], "keep")) {
			keep = 1;
			continue;
		}

		if (!strcmp(argv[i], "exec"))
			return execv(argv[i + 1], argv + i + 1);
		if (!strcmp(argv[i], "wait")) {
			if (write(1, "waits\n", 6) != 6 || read(0, &c, 1) != 1)
				return 1;
			continue;
		}
		library = dlopen(argv[i], RTLD_NOW);
		own(1);
		((int (*)(int))dlsym(library, "plugin_run"))(100);
		if (!keep)
			dlclose(library);
	}
	return 0;
}
X
gcc -O2 -shared -fPIC -o one.so plugin.c
cp one.so two.so
gcc -O2 -o host host.c
rows() { printf '%s\n' "$out" | awk 'NF == 4 { print $1, $2, $3, $4 }' | sort | xargs; }
clause='{ @[probemod, probefunc, probename] = count(); }'
run "$DTR" -Zqn "pid\$target::own:entry, pid\$target::plugin_*:entry, pid\$target:one.so:plugin_work:return $clause" \
	-c './host ./one.so ./two.so ./one.so'
is "$(rows)" 'a.out own entry 3 one.so plugin_run entry 2 one.so plugin_work entry 200 one.so plugin_work return 200'\
' two.so plugin_run entry 1 two.so plugin_work entry 100' 'libraries that are loaded and removed while it runs'
run "$DTR" -Zqn "pid\$target::own:entry, pid\$target::plugin_work:entry, pid\$target:a.out:fact*:return $clause" \
	-c './host ./one.so exec ./host ./two.so exec ./calls recursion'
is "$(rows)" 'a.out factorial return 191 a.out own entry 2 one.so plugin_work entry 100 two.so plugin_work entry 100' \
	'programs that it executes'
run "$DTR" -Zqn 'pid$target:two.so:plugin_work:entry { printf("%s`%s %d\n", probemod, probefunc, arg0); }' \
	-c './host ./one.so ./two.so'
is "$(printf '%s\n' "$out" | sort -u | wc -l):$(printf '%s\n' "$out" | head -1)" '100:two.so`plugin_work 0' \
	'a clause that matches only probes of such a library'
mkfifo in4
./host wait keep ./one.so wait ./one.so <in4 >out4 &
host=$!
children="$children $host"
exec 7>in4
wait_for waits out4
"$DTR" -Zo later -qn 'BEGIN { printf("ready\n"); } pid$target::plugin_work:entry { @ = count(); }' -p $host 2>err &
dtr=$!
children="$children $dtr"
wait_for ready later
links() { cat /proc/$dtr/fdinfo/* 2>/dev/null | grep -c link_type; }
before=$(links)
more_links() { [ "$(links)" -gt "$before" ]; }
waits_again() { [ "$(grep -c waits out4)" = 2 ]; }
printf x >&7
wait_until waits_again
wait_until more_links
# the first calls may come before the probes; when the library is loaded again, they are there
printf x >&7
exec 7>&-
wait $dtr
between "$(tr -dc 0-9 <later)" 100 200 'a running process loads a library'

# ---- errors ----
refused() { # NAME TAG TEXT DESCRIPTION
	run "$DTR" -x errtags -n "$4" -c './calls longjmp'
	like "$status $err" "^1 dtr: invalid probe specifier .*\[$2\] line 1: $3\$" "$1"
}
refused 'an unknown function' D_PROC_FUNC "failed to lookup 'nosuch' in module 'a.out'" 'pid$target:a.out:nosuch:entry'
refused 'an unknown function of a library' D_PROC_FUNC "failed to lookup 'nosuch' in module 'libc'" \
	'pid$target:libc:nosuch:entry'
refused 'a function in no file' D_PDESC_ZERO 'probe description pid[0-9]+::nosuch:entry does not match any probes.*' \
	'pid$target::nosuch:entry'
refused 'a pattern that matches nothing' D_PDESC_ZERO \
	'probe description pid[0-9]+:a.out:nosuch\*:entry does not match any probes.*' 'pid$target:a.out:nosuch*:entry'
refused 'an unknown library' D_PDESC_ZERO "probe .*has no module 'libnosuch'" 'pid$target:libnosuch::entry'
if command -v objcopy >/dev/null; then
	echo 'void hidden(void) { } int main(void) { hidden(); return 0; }' >newline.c
	gcc -c -w newline.c && objcopy --redefine-sym hidden='hid
dtr: forged' newline.o && gcc -o newline newline.o
	run "$DTR" -n 'pid$target:a.out:hid*:7777' -c ./newline
	like "$err" "outside of function 'hid\\\\ndtr: forged'" 'a name with a newline in an error'
fi
refused 'an offset outside' D_PROC_OFF "offset 0x999 outside of function 'leaf'" 'pid$target:a.out:leaf:999'
refused 'an offset within an instruction' D_PROC_CREATEFAIL \
	"failed to create probe at 'leaf.0x2': no instruction begins there" 'pid$target:a.out:leaf:2'
refused 'an invalid name' D_PROC_NAME "'begin' is an invalid probe name" 'pid$target:a.out:leaf:begin'
refused 'an address in a library' D_PROC_LIB "only the a.out module is valid with the '-' function" \
	'pid$target:libc:-:1000'
refused 'a pattern of addresses' D_PROC_NAME "only individual addresses may be specified with the '-' function" \
	'pid$target:a.out:-:*'
refused 'an address outside' D_PROC_OFF 'address 0x10 is outside of the code of a.out' 'pid$target:a.out:-:10'
refused 'a pattern of processes, of lines' D_PROC_BADPID "'line\[1-9\]\*' means many processes: .*" 'line[1-9]*:a.c::4'
run "$DTR" -n 'nfsv3:::op-read-start'
like "$status:$err" '1:.*: the nfsv3 provider is not part of this version' 'a provider of other systems'
refused 'a process ID of too many digits' D_PROC_BADPID "'pid99999999999' does not contain a valid pid" \
	'pid99999999999:::entry'
run "$DTR" -x errtags -n 'pid$target:::entry'
like "$err" "\[D_PROC_BADPID\] line 1: 'pid0' does not contain a valid pid" 'no target'
sh -c 'exit 0' &
gone=$!
wait "$gone"
run "$DTR" -x errtags -n "pid$gone:::entry"
like "$err" "\[D_PROC_GRAB\] line 1: failed to grab process $gone: No such process" 'a process that has ended'
sh -c 'sh -c "echo \$\$" >zombie & exec sleep 1000' &
children="$children $!"
is_zombie() { grep -qs '^State:.*Z' "/proc/$(cat zombie)/status"; }
wait_until is_zombie
run "$DTR" -x errtags -n "pid$(cat zombie):::entry"
like "$err" '\[D_PROC_GRAB\] line 1: failed to grab process [0-9]+: it has ended, or is a kernel thread' 'a zombie'
run "$DTR" -n 'pid$target:a.out:nosuch:entry, pid$target:a.out:nosuch:return, pid$target:a.out:none:entry' \
	-c './calls longjmp'
is "$(printf '%s\n' "$err" | sed -n "s/.* line 1: //p")" "failed to lookup 'nosuch' in module 'a.out'
failed to lookup 'none' in module 'a.out'" 'one error for each unknown function'
run "$DTR" -x engine=user -n 'pid$target:a.out:main:entry' -c './calls longjmp'
like "$status:$err" 'failed to enable probe pid[0-9]+:a.out:main:entry: without BPF only BEGIN' 'not without BPF'
run "$DTR" -Zqn 'pid$target:a.out:nosuch*:entry, BEGIN { trace(1); exit(0); }' -c ./early
is "$status$out" 01 '-Z: a pattern may match nothing'
# ---- names of other languages ----
cat >named.c <<'END'
__attribute__((noinline)) void of_ocaml(int) __asm__("camlFoo__bar_12");
void of_ocaml(int n) { __asm__ volatile("" : : "r"(n)); }
int main(void) { for (int i = 0; i < 7; i++) of_ocaml(i); }
END
gcc -O1 -o named named.c
run "$DTR" -qn 'pid$target:a.out:Foo.bar_12:entry { @[probefunc] = count(); }' -c ./named
like "$out" 'camlFoo__bar_12 +7$' 'a function by its name in OCaml'

# ---- a file that a layered file system has copied since ----
cat >layers.c <<'END'
#include <unistd.h>
__attribute__((noinline)) int hit(int n) { __asm__ volatile("" : "+r"(n)); return n * 3; }
int main(void) { for (;;) { hit(1); usleep(1000); } }
END
gcc -O1 -o layers layers.c
cat >layered <<'END'
mkdir layered.d && mount -t tmpfs none layered.d && cd layered.d && mkdir lower upper work merged &&
	cp ../layers lower && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged || exit 77
merged/layers &
program=$!
until grep -qs '(layers) S' /proc/$program/stat; do sleep 0.01; done
[ "$1" = plain ] || touch merged/layers
"$DTR" -x ledger=off -qn 'pid$target:a.out:hit:entry { exit(7); } tick-2s { exit(8); }' -p $program
echo $?
kill $program
END
if unshare -m sh ./layered plain >plain.out 2>&1 && [ $? != 77 ]; then
	is "$(sed '/^$/d' plain.out)" 7 'a program on a layered file system'
	rm -rf layered.d
	unshare -m sh ./layered copied >copied.out 2>&1
	like "$(tr '\n' ' ' <copied.out)" \
		'warning: process [0-9]+ has mapped another file than the one that is now at .* 8 $' \
		'... that was copied since then: its probes do not fire'
else
	echo '# left out: no name space with an overlay file system'
fi

# ---- samples of copies of probed instructions ----
cat >copies.c <<'END'
__attribute__((noinline)) int hit(int n) { __asm__ volatile("" : "+r"(n)); return n * 3; }
__attribute__((noinline)) int hits(int n) { int s = 0; for (int i = 0; i < n; i++) s += hit(i); return s + 1; }
int main(void) { return hits(100000) == 0; }
END
gcc -O1 -g -o copies copies.c
run "$DTR" -x ledger=off -qn 'pid$target:a.out:hit: { n++; }
	profile-4999 /pid == $target && arg1/ { @s[ustack()] = count(); @n[umod(arg1)] = count(); }
	END { printa("%k %@d\n", @s); printa("module %A %@d\n", @n); }' -c ./copies
is "$(printf '%s\n' "$out" | grep -c '^ *0x7f\|^module 0x')" 0 'samples in the page of uprobes have names'
# stacks of the function; at the end of the process there may be one without its mappings
is "$(printf '%s\n' "$out" |
	awk '/^ *[0-9]+$/ { if (s ~ /`hit/ && s !~ /`main/) print s; s = ""; next } { s = s $0 }')" '' '... and callers'

done_testing
