# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A pattern of a USDT provider (prov*) also means processes that start after dtr, and files that no process had mapped
# before.
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf 'the usdt provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP operands are those of x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
programs=$SRC/tests/usdt
# The name of the provider is that of this test alone: other tests may run at the same time.
name=later$$x macro=LATER$$X
sed "s/provider prov /provider $name /" "$programs/prov.d" >later.d
"$DTR" -h -s later.d -o later.h || exit 1
sed "s/prov\.h/later.h/; s/PROV_/${macro}_/; s/prov_loop/${name}_loop/" "$programs/loop.c" >loop.c
sed "s/prov\.h/later.h/; s/PROV_/${macro}_/g; s/prov_/${name}_/g" "$programs/plugin.c" >plugin.c
cat >some.c <<END
#include <stdlib.h>
#include "later.h"
int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		${macro}_LOOP(i);
	return 0;
}
END
gcc -O2 -I. -o loop loop.c && gcc -O2 -shared -fPIC -I. -o plugin.so plugin.c && gcc -O2 -I. -o some some.c || exit 1

tracer() { # NAME SCRIPT: starts dtr and waits until it traces; sets $dtr. Output in NAME.out
	"$DTR" -q -x switchrate=10ms -n "BEGIN { printf(\"tracing\n\"); } $2" >"$1.out" 2>"$1.err" &
	dtr=$!
	children="$children $dtr"
	wait_for tracing "$1.out"
}
finish() { # PID: ends a tracer
	kill -INT "$1"
	wait "$1"
}

# ---- programs ----
# The first process of a file may fire before the probes are there, all later ones are traced from their start.
tracer one "$name*:::loop { @[pid] = count(); @names[probeprov, probemod, probefunc, probename] = count(); }
	$name*:::loop /!seen++/ { printf(\"attached\n\"); }
	END { printa(\"%d %@d\n\", @); printa(\"name %s %s %s %s\n\", @names); }"
one=$dtr
tracer two "$name*:::loop { @[pid] = count(); } $name*:::loop /!seen++/ { printf(\"attached\n\"); }
	END { printa(\"%d %@d\n\", @); }"
two=$dtr
until_attached() { ./some 1000; grep -q attached one.out && grep -q attached two.out; }
wait_until until_attached
for n in 1 20 3000; do
	./some $n &
	echo "$! $n" >>known
	wait $!
done
finish "$one"
finish "$two"
traced() { awk 'NR == FNR { want[$1] = 1; next } $1 in want' known "$1.out" | sort; }
is "$(traced one)" "$(sort known)" 'processes that start later: each firing'
is "$(traced two)" "$(sort known)" 'in two sessions at once'
is "$(grep name one.out | sed 's/ [^ ]*$//' | sort -u | sed "s/$name/N/")" 'name N* some main' \
	'the provider has a star instead of a process ID'
is "$(cat one.err two.err)" '' 'no messages'

# ---- semaphores, libraries ----
rm -f log
tracer lib "$name*:plugin.so::start { @[copyinstr(arg1), probemod, probefunc] = count(); }
	$name*:plugin.so::nine { @nine[arg9 - arg0] = count(); }
	$name*:::loop { looped = 1; } $name*:plugin.so::start /++n >= 50/ { exit(0); }
	END { printa(\"%s %s %s\n\", @); printa(\"nine %d\n\", @nine); }"
./loop dlopen ./plugin.so >log &
pid=$!
children="$children $pid"
wait "$dtr"
is "$? $(grep -v tracing lib.out | grep . | tr '\n' ' ')" '0 plugin plugin.so plugin nine 9 ' \
	'a library that is loaded later'
like "$(cat log)" '^on 1' 'the semaphore of a process that starts later'
wait_for 'off 0' log
is "$(grep -c 'off 0' log)" 1 'is switched off at the end'
tracer killed "$name*:::loop { @ = count(); }"
wait_until sh -c '[ "$(grep -c "on 1" log)" = 2 ]'
holds "$dtr" >held
kill -9 "$dtr"
wait "$dtr" 2>/dev/null
wait_until sh -c '[ "$(grep -c "off 0" log)" = 2 ]'
is "$(grep -c 'off 0' log)" 2 'dtr is killed: the semaphore is switched off'
wait_until nothing_held held
is "$(still_held held)" '' 'and nothing is left'
stop "$pid"

part_ends
# ---- a file that is overwritten in place, and one that is replaced ----
cp some other
tracer over "$name*:::loop { @[probemod, probefunc] = count(); } $name*:other::loop /!o++/ { printf(\"other\n\"); }
	$name*:other:second:loop /!s++/ { printf(\"second\n\"); } END { printa(\"%s %s\n\", @); }"
until_other() { ./other 1000; grep -q other over.out; }
wait_until until_other
sed 's/^int main/int pad[9] = { 7 };\n__attribute__((noinline)) int second/' some.c >second.c
echo 'int main(int argc, char **argv) { return second(argc, argv) + pad[0] - 7; }' >>second.c
gcc -O2 -fno-inline -I. -o second second.c || exit 1
cat second >other
until_second() { ./other 1000; grep -q second over.out; }
wait_until until_second
finish "$dtr"
like "$(cat over.out)" '^other second$' 'a program that is overwritten'

# ---- many files that come and go ----
tracer many "$name*:::loop { @ = count(); }"
i=0
while [ $i -lt 700 ]; do
	cp some "some.$i" && "./some.$i" 1 && "./some.$i" 1
	rm -f "some.$i"
	i=$((i + 1))
done
few() { cp some last; ./last 1; rm last; [ "$(find "/proc/$dtr/fd" | wc -l)" -lt 400 ]; }
wait_until few
few
is $? 0 'files that no process has mapped are released'
is "$(cat many.err)" '' 'without messages'
finish "$dtr"

# ---- descriptions ----
run "$DTR" -n "${name}x*:::none { trace(arg0); } tick-100ms { exit(0); }"
is "$status" 0 'a pattern that matches nothing yet'
run "$DTR" -ln "${name}x*:::none"
like "$status $err" '^1 .*no probe matches' 'not with -l'
run "$DTR" -n "${name}x*:::none { trace(arg0); }" -c true
like "$status $err" '^1 .*does not match any probes' 'nor with -c'
done_testing
