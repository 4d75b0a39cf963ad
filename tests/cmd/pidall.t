# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# pid*:MODULE:FUNCTION:NAME means every process that maps the file: those that run, those that start later, and those of
# other mount name spaces.
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf 'the pid provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
# Names of this test alone: other tests may run at the same time.
lib=liball$$x.so prog=all$$x
cat >lib.c <<'C'
int counted(int n, const char *text);
int counted(int n, const char *text) { return text[0] ? n + 1 : 0; }
int last(int n);
int last(int n) { __asm__ volatile(""); return n + 2; }
C
# all LIBRARY 1|0 COUNT... : each line of its input makes it call counted() so many times, and last() once
cat >prog.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int (*counted)(int, const char *) = NULL, (*last)(int) = NULL;
	void *lib = NULL;
	char line[16];

	if (atoi(argv[2]))
		lib = dlopen(argv[1], RTLD_NOW);
	for (int i = 3; i < argc; i++) {
		if (!fgets(line, sizeof line, stdin))
			return 1;
		if (!lib)
			lib = dlopen(argv[1], RTLD_NOW);
		*(void **)&counted = dlsym(lib, "counted");
		*(void **)&last = dlsym(lib, "last");
		for (int k = 0; counted && k < atoi(argv[i]); k++)
			counted(k, "text");
		if (last)
			last(i);
		printf("done %d\n", i - 2);
		fflush(stdout);
	}
	return 0;
}
C
gcc -g -O1 -shared -fPIC -o "$lib" lib.c && gcc -O1 -o "$prog" prog.c -ldl || exit 1

# tracer NAME SCRIPT [OPTION...]: starts dtr and waits until it traces; sets $dtr. Output in NAME.out.
tracer() {
	name=$1 script=$2
	shift 2
	"$DTR" -q -x switchrate=10ms "$@" -n "BEGIN { printf(\"tracing\n\"); } $script" >"$name.out" 2>"$name.err" &
	dtr=$!
	children="$children $dtr"
	wait_for tracing "$name.out"
}
finish() { # PID: ends a tracer
	kill -INT "$1"
	wait "$1"
}
has_line() { grep -q "^$1$" "$2"; }

# ---- one process that runs, one that starts later ----
mkfifo before.in
"./$prog" "./$lib" 1 100 <before.in >before.log &
before=$!
children="$children $before"
exec 7>before.in
mapped() { grep -q "$lib" "/proc/$1/maps"; }
wait_until mapped "$before"
tracer known "pid*:$lib:counted:entry { @[\"entry\", pid, probemod] = count(); @sum[pid] = sum(args[0]);
		@text[copyinstr(arg1)] = count();
		@prov[probeprov, strlen(probeprov)] = count(); }
	pid*:$lib:counted:return { @[\"return\", pid, probemod] = count(); }
	END { printa(\"%s %d %s %@d\n\", @); printa(\"sum %d %@d\n\", @sum); printa(\"text %s %@d\n\", @text);
		printa(\"prov %s %d %@d\n\", @prov); }"
echo x >&7
exec 7>&-
wait "$before"
echo x | "./$prog" "./$lib" 0 30 >/dev/null &
after=$!
wait "$after"
finish "$dtr"
is "$(grep "^entry $before\|^return $before" known.out)" "entry $before $lib 100
return $before $lib 100" 'a process that ran'
is "$(grep "^entry $after\|^return $after" known.out | sort)" "entry $after $lib 30
return $after $lib 30" 'a process that starts later: each call'
is "$(grep '^sum' known.out | sort)" "$(printf 'sum %s 4950\nsum %s 435\n' "$before" "$after" | sort)" \
	'arguments by their types'
is "$(grep '^text' known.out)" 'text text 130' 'a string argument'

is "$(grep '^prov' known.out | sort)" "$(printf 'prov pid%s %s %s\n' "$before" $((${#before} + 3)) 100 \
	"$after" $((${#after} + 3)) 30 | sort)" 'probeprov: the process that fires'

# ---- a file that is mapped later, with entries only, and with returns only ----
for name in entry return; do
	tracer "$name" "pid*:new$name.so:counted:$name /!seen++/ { printf(\"seen\n\"); }"
	cp "$lib" "new$name.so"
	until_seen() { echo x | "./$prog" "./new$name.so" 1 1000 >/dev/null; has_line seen "$name.out"; }
	wait_until until_seen
	finish "$dtr"
	is "$? $(grep -c seen "$name.out")" '0 1' "a file that is mapped later: $name alone"
done

# ---- a path is a module ----
cp "$lib" "other$lib"
ln -s "$work/$lib" "link$lib"
"./$prog" "./$lib" 1 1 <before.in >before.log &
before=$!
children="$children $before"
exec 7>before.in
wait_until mapped "$before"
for path in "$work/$lib" "$work/link$lib" "$(dirname "$work")/*/$lib"; do
	tracer path "pid*:$path:counted:entry { @[probemod] = count(); } END { printa(\"%s %@d\n\", @); }"
	echo x | "./$prog" "./$lib" 0 7 >/dev/null
	echo x | "./$prog" "./other$lib" 0 5 >/dev/null
	finish "$dtr"
	is "$(grep "$lib" path.out)" "$lib 7" "the path $path"
done

# ---- a probe that fires too often is disarmed, the others of the file are not ----
tracer limit "pid*:$lib:counted:entry, pid*:$lib:last:entry { @[probefunc, pid] = count(); }
	END { printa(\"%s %d %@d\n\", @); }" -x maxfirings=100
echo x | "./$prog" "./$lib" 1 20000 >/dev/null &
often=$!
wait "$often"
wait_for 'is disarmed' limit.err
echo x | "./$prog" "./$lib" 1 50 >/dev/null &
later=$!
wait "$later"
finish "$dtr"
like "$(cat limit.err)" "^dtr: warning: pid.:$lib:counted:entry fired more than 100 times in a second and is disarmed" \
	'a probe that fires too often: a warning'
is "$(grep " $later " limit.out)" "last $later 1" 'a probe that fires too often: the others stay'
between "$(sed -n "s/^counted $often //p" limit.out)" 101 20000 'a probe that fires too often: until it is disarmed'
tracer unlimited "pid*:$lib:counted:entry { @[pid] = count(); } END { printa(\"%d %@d\n\", @); }" -x maxfirings=0
echo x | "./$prog" "./$lib" 1 20000 >/dev/null &
often=$!
wait "$often"
finish "$dtr"
is "$(grep "^$often " unlimited.out)" "$often 20000" 'no limit'

exec 7>&-

# ---- descriptions ----
refused() { # NAME TAG TEXT DESCRIPTION
	run "$DTR" -x errtags -n "$4"
	like "$status $err" "^1 dtr: invalid probe specifier .*\[$2\] line 1: $3\$" "$1"
}
refused 'all functions of all processes' D_PROC_BADPID \
	"'pid\*' means the functions of all files of .*: name a module .*" \
	'pid*:::entry'
refused 'a function that no file has' D_PROC_FUNC "failed to lookup 'nosuch' in module 'libc'" 'pid*:libc:nosuch:entry'
refused 'an address' D_PROC_BADPID 'an address belongs to one process: .*' 'pid*:a.out:-:1000'
run "$DTR" -n "pid*:libnone$$.so:nosuch:entry { trace(arg0); } tick-100ms { exit(0); }"
is "$status" 0 'a library that no process has mapped yet'
like "$err" "^dtr: warning: no process has mapped a file with the function of pid\*:libnone$$.so:nosuch:entry$" \
	'a library that no process has mapped: a warning at the end'
done_testing
