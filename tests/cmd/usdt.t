# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# USDT probes of programs that know how often each of their probes fires and with which arguments (tests/usdt), compiled
# in many ways with the header of `dtr -h`; semaphores; probes of Python and of SystemTap's header.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
with_bpf 'the usdt provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP operands are those of x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
programs=$SRC/tests/usdt

# ---- the header ----
run "$DTR" -h -s "$programs/prov.d"
is "$status:$out:$err:$(ls)" "0:::$(ls err out prov.h)" '-h writes a header that is named after the script'
run "$DTR" -h -s "$programs/prov.d" -o other.h
is "$status:$(cmp prov.h other.h)" '0:' '-h -o: the same header'

# What each probe should show; the probes fire in two threads, from two functions, with the arguments that the program
# prints.
ARGUMENTS='
	prov$target:::all-kinds { printf("all %d %u %d %u %d %u %d %u\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6,
		arg7); }
	prov$target:::more { this->t = (struct usdt_thing *)copyin(arg0, sizeof (struct usdt_thing));
		printf("more %d %d %s %d %d %d\n", this->t->a, this->t->b, copyinstr(arg1), arg2, arg3, arg4); }
	prov$target:::nine { printf("nine %d %d %d %d\n", arg0, arg1, arg8, arg9); }
	prov$target:::start { printf("start %d %s\n", arg0, copyinstr(arg1)); }
	prov$target:::mapped { printf("mapped %s %d %d\n", copyinstr(arg1), arg0, arg0); }
	prov$target:::no* { printf("%s\n", probename); }'
kinds() { # NAME COMPILER FLAG...
	name=$1
	shift
	in_part "$*" 'gcc -O2' 'gcc -O0' || return
	if ! command -v "$1" >/dev/null; then skip "$name" "no $1"; return; fi
	if ! "$@" -Wall -Wextra -Werror -I. -o kinds $source -pthread 2>compile.err; then
		if "$@" -o empty $empty >/dev/null 2>&1; then ok 1 "$name" "$(head -3 compile.err)"
		else skip "$name" 'not available'; fi
		return
	fi
	rm -f got
	run "$DTR" -q -o got -n 'struct usdt_thing { int a; long b; };' -n "$ARGUMENTS" -c './kinds 3'
	grep -v enabled out | sort >own
	sort got >measured
	if [ "$(wc -l <own)" = 48 ] && cmp -s own measured; then ok 0 "$name"
	else ok 1 "$name" "$(diff own measured)" "$err"; fi
}
echo 'int main(void) { return 0; }' >empty.c
source=$programs/kinds.c empty=empty.c
for flags in -O0 -O1 -O2 -O3 -Os '-O2 -static' '-O2 -fno-pie -no-pie' '-O0 -fno-pie -no-pie' '-O2 -flto' \
	'-O2 -ffunction-sections -Wl,--gc-sections' '-O2 -std=c99 -pedantic -Wno-overlength-strings' '-O2 -s' \
	'-O2 -fomit-frame-pointer -march=native'; do
	for compiler in gcc clang; do
		# shellcheck disable=SC2086
		kinds "arguments: $compiler $flags" $compiler $flags
	done
done
source="-x c++ $programs/kinds.c" empty="-x c++ empty.c"
for compiler in g++ clang++; do
	for flags in -O0 -O2 '-O2 -static'; do
		# shellcheck disable=SC2086
		kinds "arguments: $compiler $flags" $compiler $flags
	done
done

# Types are checked by the compiler.
refused() { # NAME STATEMENT
	printf '#include "prov.h"\nint main(void) { struct { int a; } s = { 0 }; (void)s; %s; return 0; }\n' "$2" >bad.c
	gcc -Werror -I. -c -o bad.o bad.c 2>compile.err
	is $? 1 "$1"
}
refused 'a structure instead of a number' 'PROV_LOOP(s)'
refused 'a number instead of a pointer' 'PROV_START(1, 2)'
refused 'too few arguments' 'PROV_START(1)'
printf '#include "prov.h"\nint main(void) { const char *s = ""; PROV_START(1, s); PROV_NONE(); return 0; }\n' >good.c
is "$(gcc -Wall -Wextra -Werror -I. -o good good.c 2>&1)" '' 'a constant string'

# ---- -G ----
run "$DTR" -G -s "$programs/prov.d" good.c
is "$status" 1 '-G: not an object'
like "$err" 'good.c: not an object file' '-G: the message'
gcc -O2 -I. -c -o kinds.o "$programs/kinds.c"
run "$DTR" -G -s "$programs/prov.d" kinds.o
is "$status:$out:$err" '0::' '-G'
is "$(gcc -o kinds kinds.o prov.o -pthread -Wl,--fatal-warnings 2>&1)" '' 'the object of -G is linked'
rm -f got
run "$DTR" -q -o got -n 'prov$target:::start { printf("%d\n", arg0); }' -c './kinds 2'
is "$(sort got | tr '\n' ' ')" '0 0 0 0 1 1 1 1 ' 'its probes fire'
like "$out" '^enabled 1 0' 'and its semaphores are switched'
printf 'provider x { probe y(int); };\n' >x.d
run "$DTR" -G -s x.d
printf 'extern unsigned short x_y_semaphore;\nunsigned short *used(void) { return &x_y_semaphore; }\n' >used.c
for model in 64:elf_x86_64 32:elf_i386; do
	bits=${model%:*}
	run "$DTR" -G "-$bits" -s x.d -o "x$bits.o" used.c
	is "$status" 1 "-G -$bits: not an object"
	gcc "-m$bits" -c used.c && run "$DTR" "-$bits" -G -s x.d -o "x$bits.o" used.o
	is "$status:$err:$(ld -m "${model#*:}" -shared -o used.so used.o "x$bits.o" --fatal-warnings 2>&1)" '0::' \
		"-G -$bits: it is linked"
done
run "$DTR" -32 -n BEGIN
is "$status:$err" '2:dtr: -32 is only available with -h and -G' '-32 without -G'
run "$DTR" -65 -n BEGIN
like "$err" 'unknown option -65' '-65'
cat >extern.c <<'END'
#include <stdio.h>
extern unsigned short x_y_semaphore;
int main(void) { printf("%d\n", x_y_semaphore); return 0; }
END
is "$(gcc -o extern extern.c x.o -Wl,--fatal-warnings 2>&1 && ./extern)" 0 \
	'objects of other headers find their semaphores'
run "$DTR" -h -n 'provider x { probe y(int); };'
is "$status" 2 '-h without a script needs -o'
echo 'BEGIN { exit(0); }' >none.d
run "$DTR" -h -s none.d
like "$status $err" '^1 .*declares no provider' '-h of a script without a provider'

# ---- operands ----
gcc -O1 -w -o operands "$programs/operands.c"
rm -f got
run "$DTR" -q -o got -n 'operand$target:::[!u]* { printf("%s %d\n", probename, (int64_t)arg0); }' -c ./operands
sort out >own
sort got >measured
ok "$(cmp own measured >/dev/null; echo $?)" 'operands: one clause for all' "$(diff own measured)" "$err"
# a program of its own for each way to fetch an argument
failed=
while read -r name value; do
	in_part "$name" || continue
	run "$DTR" -qn "operand\$target:::$name { @[(int64_t)arg0] = count(); } END { printa(\"%d %@d\", @); }" \
		-c ./operands
	[ "$(printf '%s\n' "$out" | tail -1)" = "$value 1" ] || failed="$failed $name"
done <own
is "$failed" '' 'operands: each alone'
for name in unknown1 unknown2 unknown3; do
	run "$DTR" -qn "operand\$target:::$name { trace(arg0); }" -c ./operands
	like "$status $err" '^1 .*arg0 of operand[0-9]*:operands:probe_'$name':'$name' cannot be read' \
		"an operand of unknown place: $name"
done
run "$DTR" -qn 'operand$target:::unknown* { @ = count(); } END { printa("%@d\n", @); }' -c ./operands
like "$out" '^3$' 'these probes fire'

# ---- SystemTap's header ----
if printf '#include <sys/sdt.h>\n' | gcc -E - >/dev/null 2>&1; then
	for flags in -O0 -O2; do
		gcc $flags -o sdt "$programs/sdt.c"
		rm -f got
		run "$DTR" -q -o got -n '
			sdt$target:::work-done { printf("work %d %s %d\n", arg0, copyinstr(arg1), (int)arg2); }
			sdt$target:::real { @ = sum(arg1); } END { printa("%@d\n", @); }' -c ./sdt
		is "$(cat got)" "$(grep work out; echo 10)" "<sys/sdt.h> $flags"
		like "$out" '^enabled 1' "<sys/sdt.h> $flags: the semaphore"
		run "$DTR" -qn 'sdt$target:::real { trace(arg0); }' -c ./sdt
		like "$status $err" '^1 .*arg0 of sdt.*real cannot be read: it is a floating-point number' \
			"<sys/sdt.h> $flags: a floating-point number is refused"
	done
else
	skip '<sys/sdt.h>' 'systemtap-sdt-dev is not installed'
fi

# ---- descriptions ----
gcc -O2 -I. -o kinds "$programs/kinds.c" -pthread
matched() { # DESCRIPTION: the matching probes, without the process ID
	run "$DTR" -ln "$1" -c './kinds 1'
	printf '%s\n' "$out" | awk '$2 ~ /^prov/ { sub(/[0-9]+$/, "", $2); print $2 ":" $3 ":" $4 ":" $5 }' | sort |
		tr '\n' ' '
}
is "$(matched 'prov$target:::all__kinds')" 'prov:kinds:all:all-kinds ' 'a name as in C'
is "$(matched 'prov$target:::all-kinds')" 'prov:kinds:all:all-kinds ' 'a name as DTrace shows it'
is "$(matched 'prov$target::all:')" 'prov:kinds:all:all-kinds ' 'a function'
is "$(matched 'prov$target:kinds:ag*:st?rt')" 'prov:kinds:again:start ' 'patterns'
is "$(matched 'prov$target:a.out::all_*')" 'prov:kinds:all:all-kinds ' 'a pattern of a name as in C'
is "$(matched 'usdt$target::more:nine')" 'prov:kinds:more:nine ' 'any provider of a process'
is "$(matched 'pro*$target:::start')" 'prov:kinds:again:start prov:kinds:run:start ' 'a pattern of the provider'
is "$(matched 'p*:::nine')" 'prov:kinds:more:nine ' 'with -c a pattern means the command'
for bad in 'prov$target:::nope' 'nope$target:::start' 'prov$target:libc::start'; do
	run "$DTR" -n "$bad" -c './kinds 1'
	like "$status $err" '^1 .*does not match any probes' "no such probe: $bad"
done
run "$DTR" -q -n 'prov$target:::start { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -c './kinds 5'
is "$(printf '%s\n' "$out" | tail -2 | sort | tr '\n' ' ')" 'again 10 run 10 ' \
	'places in different functions are different probes'

# ---- the types of args[] ----
run "$DTR" -q -s "$programs/prov.d" -o got2 -n '
	prov$target:::mapped { printf("mapped %s %d %d\n", args[0], args[1], arg0); }
	prov$target:::more { printf("more %d %d %s %d %d %d\n", args[0]->a, args[0]->b, args[1], args[2], args[3],
		args[4]); }' \
	-c './kinds 3'
is "$(sort got2)" "$(grep -E '^(mapped|more) ' out | sort)" 'args[] as the script declares them'
run "$DTR" -lvn 'prov$target:::all-kinds' -c './kinds 1'
is "$(printf '%s\n' "$out" | awk '/args\[/ { print $2 }' | tr '\n' ' ')" \
	'int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t ' 'args[] without a declaration'
cat >xlate.d <<'END'
struct usdt_thing { int a; long b; };
typedef struct thinginfo { string text; int sum; } thinginfo_t;
translator thinginfo_t < struct usdt_thing *T > {
	text = "thing";
	sum = ((struct usdt_thing *)copyin((uintptr_t)T, sizeof (struct usdt_thing)))->a * 10;
};
provider prov {
	probe more(struct usdt_thing *t, string s, size_t n, long l, int8_t b, double d) : (thinginfo_t *t, size_t n);
};
prov$target:::more { printf("%s %d %d\n", args[0]->text, args[0]->sum, args[1]); }
END
rm -f got2
run "$DTR" -q -s xlate.d -o got2 -c './kinds 2'
is "$(sort got2 | uniq -c | awk '{ print $1, $2, $3, $4 }' | tr '\n' ' ')$err" '2 thing 10 32 2 thing 20 32 ' \
	'a translator of an argument'

# ---- semaphores ----
gcc -O2 -I. -o loop "$programs/loop.c"
./loop >log &
pid=$!
children="$children $pid"
wait_for ready log
seen() { # LINE...: the lines that the program has printed
	printf 'ready\n' >want
	[ $# = 0 ] || printf '%s\n' "$@" >>want
	cmp -s want log
}
run "$DTR" -qn "prov$pid:::loop /++n >= 20/ { exit(0); }"
is "$status" 0 'a running process'
wait_until seen 'on 1' 'off 0'
seen 'on 1' 'off 0'
is $? 0 'the semaphore is switched on and off'
"$DTR" -qn "prov$pid:::loop { @ = count(); }" >/dev/null 2>&1 &
session=$!
children="$children $session"
wait_until seen 'on 1' 'off 0' 'on 1'
kill -9 $session
wait_until seen 'on 1' 'off 0' 'on 1' 'off 0'
seen 'on 1' 'off 0' 'on 1' 'off 0'
is $? 0 'dtr is killed: the semaphore is switched off'
run "$DTR" -qn "prov$pid:::loop /++n >= 20/ { exit(0); }"
is "$status" 0 'and on again'
stop $pid

# A process of another user.
if [ "$(id -u)" = 0 ]; then
	./loop >log2 &
	pid=$!
	children="$children $pid"
	run "$here/tests/kernel/as_user" "$DTR" -n "prov$pid:::loop"
	like "$err" "does not match any probes: failed to grab process $pid: (Permission denied|No such process)" \
		'a process of another user'
	stop $pid
else
	skip 'a process of another user' 'needs root'
fi

# All processes with such probes, without a target; a second process is left alone.
rm -f log log2
./loop >log &
pid=$!
./loop >log2 &
second=$!
children="$children $pid $second"
wait_for ready log
wait_for ready log2
run "$DTR" -l -P "prov$pid"
is "$(printf '%s\n' "$out" | awk -v p="prov$pid" '$2 == p { print $3, $5 }')" 'loop loop' \
	'-l -P lists the probes of a process'
run "$DTR" -ln 'prov*::main:loop'
is "$(printf '%s\n' "$out" | awk -v p="prov$pid" -v s="prov$second" '$2 == p || $2 == s { n++ } END { print n }')" 2 \
	'-l: a pattern means all processes'
run "$DTR" -qn "prov$pid:::loop /++n >= 20/ { exit(0); } prov$pid:::loop /pid != $pid/ { exit(1); }"
is "$status:$(grep -c on log2)" 0:0 'another process with the same probes is left alone'
run "$DTR" -qn "prov$pid:::loop, prov$second:::loop { @[probeprov] = count(); ++n; } prov$pid:::loop { ++a; }
	prov$second:::loop { ++b; } prov$pid:::loop, prov$second:::loop /a > 20 && b > 20/ { exit(0); }
	END { printa(\"%s\n\", @); }"
is "$(printf '%s\n' "$out" | sort | tr '\n' ' ')" "$(printf 'prov%s\n' $pid $second | sort | tr '\n' ' ')" \
	'two processes in one session'
stop $second
stop $pid

# fork: the child is not traced; exec: the program ends.
rm -f log
./loop fork >log &
pid=$!
children="$children $pid"
wait_for ready log
run "$DTR" -qn "prov$pid:::loop { @[pid == $pid] = count(); } prov$pid:::loop /++n >= 100/ { exit(0); }
	END { printa(\"%d\n\", @); }"
is "$(printf '%s\n' "$out" | grep .)" 1 'the child of a process is not traced'
wait_until grep -q off log
for child in $(cat /proc/$pid/task/$pid/children); do children="$children $child"; kill $child; done
stop $pid

part_ends
# dlopen: the probes of the library are added to a clause that has probes already, and to one that has none.
for flags in -O0 -O2; do
	gcc $flags -shared -fPIC -I. -o plugin.so "$programs/plugin.c"
	cat >plugin.d <<'END'
prov$target:::loop { looped = 1; }
prov$target:plugin.so::start { @start[copyinstr(arg1), probemod, probefunc, probename] = count(); }
prov$target:plugin.so:plugin:nine { @nine[arg9 - arg0, arg5 - arg4, probename] = count(); }
prov$target:::all-kinds { @kinds[(signed char)arg0 == (signed char)arg4, arg1, (short)arg2 == (short)arg4, arg3,
	arg5, (int64_t)arg6, arg7] = count(); }
prov$target:::all-kinds /++n >= 50/ { exit(0); }
END { printa("%s %s %s %s\n", @start); printa("%d %d %s\n", @nine); printa("%d %d %d %d %d %d %d\n", @kinds); }
END
	want='plugin plugin.so plugin start
9 1 nine
1 200 1 65000 4000000000 -1 1'
	run "$DTR" -Zq -s plugin.d -o got3 -c './loop dlopen ./plugin.so'
	is "$(cat got3)$err" "$want" "-c: a library that is loaded later ($flags)"
	rm -f got3 log
	./loop dlopen ./plugin.so >log &
	pid=$!
	children="$children $pid"
	wait_for ready log
	run "$DTR" -Zq -s plugin.d -o got3 -p $pid
	is "$(cat got3)$err" "$want" "-p: a library that is loaded later ($flags)"
	rm -f got3
	stop $pid
done

# exec: the new program has the same process ID, and other probes.
gcc -O2 -I. -o other "$programs/loop.c"
run "$DTR" -q -n 'prov$target:::loop { @[probemod] = count(); } prov$target:other::loop /++n >= 50/ { exit(0); }
	END { printa("%s\n", @); }' -Z -c './loop exec ./other'
is "$(printf '%s\n' "$out" | grep -E '^(loop|other)$' | sort | tr '\n' ' ')" 'other ' \
	'a program that executes another one'

if [ -x /usr/bin/python3 ] &&
	readelf -n "$(readlink -f /usr/bin/python3)" 2>/dev/null | grep -q 'Provider: python'; then
	cat >calls.py <<'END'
def leaf(n):
    return n
def work(n):
    return sum(leaf(i) for i in range(n))
print(work(40))
END
	# (3.11 reports the entries of few functions, but all returns)
	run "$DTR" -qn 'python$target:::function__return /copyinstr(arg1) == "leaf"/ {
		@[basename(copyinstr(arg0)), probename] = count(); } END { printa("%s %s %@d\n", @); }' \
		-c '/usr/bin/python3 calls.py'
	is "$(printf '%s\n' "$out" | grep .)" "$(printf '780\ncalls.py function-return 40')" "Python's probes"
	run "$DTR" -qn 'python$target:::gc-start { self->at = timestamp; @s = count(); @g[arg0] = count(); }
		python$target:::gc-done /self->at/ { @d = count(); } END { printa("%@d %@d\n", @s, @d);
			printa("gen %d\n", @g); }' \
		-c '/usr/bin/python3 -c "import gc; gc.disable(); [gc.collect(2) for i in range(7)]"'
	like "$out" '^([0-9]+) \1$' 'each garbage collection begins and ends'
	like "$out" 'gen 2' 'with its generation'
else
	skip "Python's probes" 'not in this Python'
	skip 'each garbage collection begins and ends' 'not in this Python'
	skip 'with its generation' 'not in this Python'
fi
done_testing
