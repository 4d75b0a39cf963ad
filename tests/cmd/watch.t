#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The watch provider: accesses to variables by programs that know how often they do it (tests/programs/watched.*).
# QEMU's TCG stops twice at some accesses, and at others that are near: in its guests only a part passes.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
need_room
with_bpf 'the watch provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
programs=$SRC/tests/programs
gcc -O0 -g -w -pthread -o watched "$programs/watched.c" || exit 1
if ! breaks; then
	run "$DTR" -qn 'watch$target:::counter { @ = count(); }' -c './watched accesses'
	like "$status:$out$err" '^1:dtr: failed to enable probe watch.*hardware breakpoints' \
		'refused where they do not fire'
	run "$DTR" prog --vars --object counter -c './watched accesses'
	like "$status:$out$err" '^1:dtr: .*hardware breakpoints' 'dtr prog --vars is refused'
	skip 'watched variables' 'hardware breakpoints do not fire here'
	done_testing
fi

# NAME VARIABLE KINDS WANT: what the values at all accesses are
values_are() {
	in_part "$2" :counter :counter-write || return
	run "$DTR" -qn "watch\$target:a.out:$2 { printf(\"%d %d,\", arg0, args[0]); }" -c "./watched $3"
	is "$out$err" "$4" "$1"
}

# ---- values ----
values_are 'accesses: three writes, two reads' :counter accesses '1 1,2 2,2 2,2 2,3 3,'
values_are 'writes only' :counter-write accesses '1 1,2 2,3 3,'
values_are 'a signed byte' :small values '-2 -2,'
values_are 'an unsigned short' :port values '65534 65534,'
values_are 'a long' :wide values '-5000000000 -5000000000,'
values_are 'a member' :config.limit values '7 7,'
values_are 'a member of an anonymous union, unsigned' :config.raw values '40000 40000,'
values_are 'the same memory, signed' :config.alias values '-25536 -25536,'
values_are 'an element of two dimensions' ':config.inner.deep[1][2]' values '12 12,'
values_are 'a member of an element' ':table[2].n' values '-3 -3,'
values_are 'a member of another element' ':table[1].n' values ''
values_are 'the bits of a double' :ratio values '4607182418800017408 4607182418800017408,'
values_are 'a static variable of a function' depth_of:level 'recursion other' '9 9,8 8,7 7,6 6,5 5,4 4,3 3,2 2,1 1,0 0,'
values_are 'one of the same name in another function' other:level 'recursion other' '99 99,'
[ -n "${DTR_PART-}" ] || {
run "$DTR" -qn 'watch$target:::wide { printf("%s %s %s %d", probemod, probefunc, probename, arg1 % 4096 == 0x'"$(
	nm watched | awk '$3 == "wide" { print substr($1, length($1) - 2) }')"'); }
	watch$target::depth_of:level /arg0 == 9/ { printf(" %s %s", probefunc, probename); }' \
	-c './watched values recursion'
is "$out" 'a.out  wide 1 depth_of level' 'probemod, probefunc, probename; arg1 is the address'
}
run "$DTR" -qn 'watch$target:::counter /arg0 == 3/ { ustack(2); printf("%d", uregs[R_PC] != 0); }' \
	-c './watched accesses'
like "$(printf '%s' "$out" | tr -s '\n ' ' ')" 'watched.accesses.0x[0-9a-f]+ watched.main.0x[0-9a-f]+ 1' \
	'ustack(), uregs[]'

# ---- threads, processes ----
counts() { # NAME WANT VARIABLE KINDS
	run "$DTR" -qn "watch\$target:::$3 { @ = count(); } END { printa(\"%@d\", @); }" -c "./watched $4"
	is "$out$err" "$2" "$1"
}
counts 'threads' 900 counter-write threads
counts 'threads, reads and writes: one access of an instruction that does both' 900 counter threads
counts 'a signal handler' 10 counter signal
counts 'a child is not traced' 5 counter 'accesses fork'
counts 'the program that the process executes is not traced' 5 counter 'accesses exec'
counts 'the kernel writes into the variable' '' counter kernel
[ -n "${DTR_PART-}" ] || {
run "$DTR" -qn 'watch$target:::counter-write { @a = count(); } watch$target:::small { @b = count(); }
	watch$target:::wide, watch$target:::port { @c = count(); } END { printa("%@d %@d %@d", @a, @b, @c); }' \
	-c './watched threads values'
is "$out$err" '900 1 2' 'four variables at a time'

# Threads that exist, and threads that are created while the breakpoints are being set.
mkfifo input
./watched wait <input &
pid=$!
children="$children $pid"
exec 9>input
wait_until sh -c "[ \$(ls /proc/$pid/task | wc -l) -gt 8 ]"
"$DTR" -qn 'BEGIN { printf("begin\n"); } watch$target:::counter { @ = count(); } END { printa("%@d\n", @); }' -p $pid \
	>all 2>&1 &
dtr=$!
children="$children $dtr"
wait_until grep -q begin all
echo >&9
wait $dtr
exec 9>&-
is "$(tr '\n' ' ' <all)" 'begin 900 ' '-p: threads that exist and that come'

# ---- names ----
gcc -O0 -no-pie -pthread -w -o plain "$programs/watched.c"
run "$DTR" -qn 'watch$target:::wide { printf("%d", arg0); }' -c './plain values'
is "$out" $((-5000000000)) 'a symbol without debugging information, 8 bytes'
run "$DTR" -qn 'watch$target:::port { printf("%d", arg0); }' -c './plain values'
is "$out" 65534 'a symbol without debugging information, 2 bytes'
at=0x$(nm plain | awk '$3 == "counter" { print $1 }')
run "$DTR" -qn "watch\$target:::$at,4 { @ = count(); } watch\$target:::$at,2-write, BEGIN { @b = count(); }
	END { printa(\"%@d %@d\", @, @b); }" -c './plain accesses'
is "$out" '5 4' 'an address, and another probe in the same list'
cat >library.c <<'X'
int shared[2] = { 1, 2 };
void add(void) { shared[1]++; }
X
cat >uses.c <<'X'
extern int shared[2];
void add(void);
int main(void) { add(); shared[1] = 5; return shared[1] != 5; }
X
gcc -g -shared -fPIC -o libshared.so library.c && gcc -no-pie -fno-pie -o uses uses.c ./libshared.so
for module in libshared libshared.so ''; do
	run "$DTR" -qn "watch\$target:$module::shared[1]-write { printf(\"%d,\", arg0); }" -c ./uses
	is "$out$err" '3,5,' "a variable of a library that the program has copied: module '$module'"
done
if command -v g++ >/dev/null; then
	for compiler in 'g++ -O0 -g' 'clang++ -O0 -gdwarf-5' 'clang++ -O0 -gdwarf-4'; do
		command -v "${compiler%% *}" >/dev/null || continue
		$compiler -o cc "$programs/watched.cc" 2>/dev/null || continue
		for row in :::ns::var=3, ::ns::var=3, :::ns::inner::var=-4, :::ns::shared::total=5, :::object.b=6, \
			:::object.d=7, :a.out:ns::add:sum=0,1,1,1,3,3, ::add:sum=0,1,1,1,3,3,; do
			spec=${row%%=*}
			case $spec in ::ns*) spec=:a.out$spec ;; esac
			run "$DTR" -qn "watch\$target$spec { printf(\"%d,\", arg0); }" -c ./cc
			is "$out$err" "${row#*=}" "$compiler: $spec"
		done
	done
fi
}

# ---- libraries that are loaded later, removed, and loaded elsewhere ----
gcc -O0 -g -w -o plugged "$programs/plugged.c"
cat >plug.c <<'X'
volatile short level;
volatile unsigned char plug_byte;
volatile long wide[4];
void plug(int n) { level = -n; plug_byte = 200 + n; for (int i = 0; i < 4; i++) wide[i] = (long)n << 32; }
X
gcc -O0 -g -shared -fPIC -o plug.so plug.c
levels='-11,-12,-13,-21,-22,-23,-31,-32,-33,'
bytes='211,212,213,221,222,223,231,232,233,'
thrice='./plugged ./plug.so ./plug.so ./plug.so'
for point in exec preinit main; do
	run "$DTR" -Z -x evaltime=$point -qo got -n 'watch$target:plug.so::level-write { printf("%d,", arg0); }' \
		-c "$thrice"
	is "$(cat got)$err" "$levels" "a library that is loaded later, evaltime=$point"
	rm -f got
done
like "$out" moved 'its addresses differ'
run "$DTR" -Z -qo got -n 'watch$target:::plug_byte { printf("%d,", args[0]); }' -c "$thrice"
is "$(cat got)$err" "$bytes" 'no module: any library; an unsigned value'
rm -f got
run "$DTR" -Z -qo got -n 'watch$target:plug.so::wide[3] { @[arg0 >> 32, arg1 != 0] = count(); }
	END { printa("%d %d %@d,", @); }' -c './plugged ./plug.so'
is "$(cat got)$err" '11 1 1,12 1 1,13 1 1,' 'an element of 8 bytes; arg1'
rm -f got
run env LD_PRELOAD=./plug.so "$DTR" -x evaltime=exec -Zqo got \
	-n 'watch$target:plug.so::level-write { printf("%d,", arg0); }' -c "$thrice"
is "$(cat got)$err" "$levels" 'a library that the program has loaded before main(), evaltime=exec'
rm -f got
run "$DTR" -Zqo got -n 'watch$target:plug.so::level-write, watch$target:plug.so::plug_byte,
	watch$target:plug.so::wide[0], watch$target:plug.so::wide[1],
	watch$target:plug.so::wide[2] { @[probename] = count(); }
	END { printa("%@d ", @); }' -c './plugged ./plug.so'
like "$(cat got) $err" '^3 3 3 3  dtr: warning: failed to enable probe .*:wide.2.: all hardware breakpoints of ' \
	'a fifth variable in a library that is loaded later'
rm -f got
run "$DTR" -x errtags -n 'watch$target:plug.so::level { }' -c "$thrice"
like "$status $err" '^1 .*D_PROC_LIB.*no module' 'without -Z it must be there'
sed 's/for (int i = 1; i < argc/getchar();\n\t&/' \
	"$programs/plugged.c" >later.c
gcc -O0 -g -w -o later later.c
mkfifo go
./later ./plug.so ./plug.so <go >/dev/null &
pid=$!
children="$children $pid"
exec 9>go
rm -f all
wait_until executes $pid later
"$DTR" -Zqn 'BEGIN { printf("begin\n"); } watch$target:plug.so::level-write { @ = count(); }' -p $pid >all 2>&1 &
dtr=$!
children="$children $dtr"
wait_until grep -q begin all
echo >&9
wait $dtr
exec 9>&-
is "$?$(grep dtr: all)" 0 '-p: the process is not held'

part_ends
# ---- errors ----
refused() { # NAME TAG TEXT NAME-OF-VARIABLE [PROGRAM]
	run "$DTR" -x errtags -n "watch\$target:$4" -c "${5:-./watched accesses}"
	like "$status $err" "^1 dtr: invalid probe specifier .*\[$2\] line 1: $3\$" "$1"
}
refused 'a variable that does not exist' D_PROC_NAME "failed to find a global or static variable 'nosuch'" ::nosuch
refused 'of a module' D_PROC_NAME "failed to find a global or static variable 'nosuch' in module 'a.out'" a.out::nosuch
refused 'of a function' D_PROC_NAME "failed to find a global or static variable 'counter' of function 'main'" \
	:main:counter
refused 'an unknown module' D_PROC_LIB "process [0-9]+ has no module 'nosuch'" nosuch::counter
refused 'a structure' D_PROC_CREATEFAIL "failed to create .* 'config' .* it has [0-9]+ bytes, .*: name a member.*" \
	::config
refused 'an array' D_PROC_CREATEFAIL "failed to create .* 'table' .* it has 32 bytes, .*: name an element.*" ::table
refused 'a part of an array' D_PROC_CREATEFAIL '.* it has 12 bytes, .*: name an element.*' '::config.inner.deep[1]'
refused 'an element outside' D_PROC_CREATEFAIL '.*index 4 is outside of the array, which has 4 elements' '::table[4].n'
refused 'an unknown member' D_PROC_CREATEFAIL ".*the structure has no member 'n'" ::config.n
refused 'a member of a number' D_PROC_CREATEFAIL ".*what comes before '.n' is not a structure" ::counter.n
refused 'a member through a pointer' D_PROC_CREATEFAIL ".*what comes before '.n' is a pointer: .*" ::pointer.n
refused 'an element of a number' D_PROC_CREATEFAIL ".*what comes before '.' is not an array" '::counter[1]'
refused 'an index that is no number' D_PROC_CREATEFAIL '.*an index must be a number, as in .3.' '::table[x]'
refused 'a bit-field' D_PROC_CREATEFAIL '.*it is a bit-field, which has no address of its own' ::config.flag
refused 'a thread-local variable' D_PROC_CREATEFAIL '.*it is thread-local: .*' ::own
refused 'a local variable' D_PROC_CREATEFAIL '.*it is a local variable, which has no fixed address' :waits:x \
	"$(printf 'void waits(void) { int x = 1; (void)x; } int main(void) { waits(); }' >local.c
	gcc -g -O0 -o local local.c; echo ./local)"
refused 'an optimized-out variable' D_PROC_CREATEFAIL '.*it was optimized out: .*' ::constant \
	"$(printf 'static int constant = 7; int main(int c, char **v) { return c * constant == 0; }' >gone.c
	gcc -g -O2 -o gone gone.c; echo ./gone)"
refused 'an ambiguous name' D_PROC_CREATEFAIL ".*functions '[a-z_]*' and '[a-z_]*' .* name the function .*" ::level
refused 'an unaligned member' D_PROC_CREATEFAIL '.*its address 0x[0-9a-f]+ is not a multiple of its size 4.*' \
	::packed.odd
refused 'a member without debugging information' D_PROC_NAME \
	'.*no debugging information .*compile with -g.*DEBUGINFOD_URLS' ::config.limit './plain values'
refused 'a pattern' D_PROC_NAME ".*needs the name of one variable, without patterns" '::count*'
refused 'no name' D_PROC_NAME ".*needs the name of one variable, without patterns" ':main:'
refused 'an address without a size' D_PROC_NAME '.*an address needs a size in bytes, as in 0x601040,4' ::0x601040
refused 'three bytes' D_PROC_CREATEFAIL '.*it has 3 bytes, .*' ::0x601040,3
refused 'an unaligned address' D_PROC_CREATEFAIL '.*its address 0x601041 is not a multiple of its size 4.*' ::0x601041,4
refused 'an address with a module' D_PROC_NAME '.*an address has no module and no function.*' a.out::0x601040,4
run "$DTR" -x errtags -n 'watch$target:::x'
like "$err" "\[D_PROC_BADPID\] line 1: 'watch0' does not contain a valid pid" 'no target'
run "$DTR" -n 'watch$target:::0xffffffff81000000,8' -c './watched accesses'
like "$status $err" '^dtr: failed to enable probe watch[0-9]+:::0xffffffff81000000,8: not an address of the process' \
	'an address of the kernel'
run "$DTR" -n 'watch$target:::counter, watch$target:::small, watch$target:::wide, watch$target:::port,
	watch$target:::config.limit' -c './watched accesses'
like "$status $err" 'failed to enable .*: all hardware breakpoints of .* are in use: [0-9]+ by this script' \
	'a fifth variable'
done_testing
