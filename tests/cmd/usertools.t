#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tools that probe functions of processes, compared with programs that know what they have called.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
need_room
with_bpf 'the pid provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1

cat >calls.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int called(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
__attribute__((noinline)) int called_too(int n) { usleep(2000); return n + 1; }
__attribute__((noinline)) void first(void) { for (int i = 0; i < 30; i++) called(i); __asm__ volatile(""); }
__attribute__((noinline)) void second(void) { for (int i = 0; i < 12; i++) called(i); __asm__ volatile(""); }
static void *work(void *arg) { return arg; }
static void *other_work(void *arg) { return arg; }
int main(int argc, char **argv)
{
	pthread_t t;

	first();
	second();
	for (int i = 0; i < 5; i++)
		called_too(i);
	for (int i = 0; i < 7; i++) {
		pthread_create(&t, NULL, i < 3 ? work : other_work, NULL);
		pthread_join(t, NULL);
	}
	for (int i = 0; i < 100; i++)
		getppid();
	return 0;
}
C
program=calls$$x
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o "$program" calls.c || exit 1
squeezed() { printf '%s\n' "$out" | tr -s ' ' | sed 's/^ //; s/ $//'; }

# ---- funccount ----
for probe in "$program:called" "./$program:called" "$work/$program:called" "pid*:$program:called:entry" \
	"r:$program:called"; do
	run "$DTR" funccount "$probe" -c "./$program"
	is "$(squeezed | grep -v FUNC)" "$(case $probe in r:*) echo return ;; *) echo called ;; esac) 42" \
		"funccount $probe"
done
run "$DTR" funccount "p:$work/$program:called*" -c "sh -c './$program; ./$program'"
is "$(squeezed)" "FUNC COUNT
called_too 10
called 84" 'funccount: a pattern, children'
run "$DTR" funccount t:syscalls:sys_enter_getppid -c "./$program"
is "$(squeezed | tail -1)" 'getppid 100' 'funccount: a tracepoint of system calls'
run "$DTR" funccount -T -i 100ms -d 2s "$program:called"
between "$(squeezed | grep -c '^FUNC COUNT$')" 2 21 'funccount: intervals, a duration'
for bad in '' 'a:b:c:d:e' 'c:' 'u:c:probe'; do
	run "$DTR" funccount "$bad"
	like "$status $err" "^2 .*invalid probe '$bad': expected a function such as c:malloc" "funccount '$bad'"
done

# ---- funclatency ----
run "$DTR" funclatency -u -F "$program:called*" -c "./$program"
is "$(squeezed | sed -n 's/^avg.*count = //p' | sort | tr '\n' ' ')" '42 5 ' 'funclatency: calls of each function'
between "$(squeezed | sed -n 's/^avg = \([0-9]*\), .*count = 5$/\1/p')" 2000 100000000 \
	'funclatency: at least the time that it sleeps'
run "$DTR" funclatency t:sched:sched_switch
like "$status $err" "^2 .*invalid function 't:sched:sched_switch'" 'funclatency: a tracepoint is no function'

# ---- stackcount ----
caller() { # FUNCTION: the count of the stack that has it
	printf '%s\n' "$out" | awk -v f="$1" 'index($0, "`" f "+") { on = 1 } NF == 1 && /^ +[0-9]+$/ { if (on) print $1
		on = 0 }'
}
run "$DTR" stackcount "$program:called" -c "./$program"
is "$(caller first) $(caller second) $(caller main)" '30 12 12
30' 'stackcount: each caller'
run "$DTR" stackcount -P "$program:called" -c "sh -c './$program; ./$program'"
is "$(caller first | tr '\n' ' ')$(printf '%s\n' "$out" | grep -c "^  $(echo "$program" | cut -c 1-15) \[[0-9]*\]$")" \
	'30 30 4' 'stackcount -P: by process'
run "$DTR" stackcount -K t:syscalls:sys_enter_getppid -c "./$program"
is "$(printf '%s\n' "$out" | awk '/^ +[0-9]+$/ { n += $1 } END { print n }')" 100 "stackcount -K: the kernel's stacks"

# ---- memleak ----
cat >leak.c <<'C'
#include <malloc.h>
#include <stdlib.h>
static void *volatile keep[100];
static int kept;
#define LEAF __attribute__((noinline)) void
LEAF leaks(void) { for (int i = 0; i < 10; i++) keep[kept++] = malloc(100); __asm__ volatile(""); }
LEAF frees(void) { for (int i = 0; i < 50; i++) free(malloc(64)); __asm__ volatile(""); }
LEAF grows(void)
{
	void *p = NULL;

	for (int i = 1; i <= 20; i++)
		p = realloc(p, i * 1000);
	keep[kept++] = p;
	__asm__ volatile("");
}
LEAF others(void)
{
	void *p;

	if (!posix_memalign(&p, 64, 300))
		keep[kept++] = p;
	keep[kept++] = calloc(7, 11);
	keep[kept++] = memalign(64, 500);
	keep[kept++] = aligned_alloc(64, 640);
	free(calloc(3, 5));
	__asm__ volatile("");
}
int main(void) { leaks(); frees(); grows(); others(); return 0; }
C
gcc -w -O1 -fno-builtin -fno-optimize-sibling-calls -o "leak$$x" leak.c || exit 1
# the rows whose stack has a function of the program
leaked() {
	printf '%s\n' "$out" | awk -v p="^leak$$x\`" '/ bytes in / { row = $1 " " $4 } NF == 1 && $1 ~ p && row {
		sub(p, "", $1); sub(/[+].*/, "", $1); print $1, row; row = "" }'
}
run "$DTR" memleak -T 1000 -c "sh -c ./leak$$x"
is "$(leaked)" 'others 77 1
others 300 1
others 500 1
others 640 1
leaks 1000 10
grows 20000 1' 'memleak: what is not freed'
run "$DTR" memleak -T 2 -z 100 -c "./leak$$x"
is "$(leaked)" 'leaks 1000 10
grows 20000 1' 'memleak -T -z'

# ---- threadsnoop ----
run "$DTR" threadsnoop -c "sh -c ./$program"
is "$(squeezed | awk '{ print $NF }' | sort | uniq -c | tr -s ' ')" " 1 FUNC
 4 $program\`other_work
 3 $program\`work" 'threadsnoop: the functions of the threads'

# ---- bashreadline ----
if command -v bash >/dev/null && nm -D "$(command -v bash)" 2>/dev/null | grep -q ' readline$'; then
	printf '%s\n' 'echo one  two' ': done' exit >lines
	run "$DTR" bashreadline -c "sh -c 'bash --norc --noprofile -i <lines >/dev/null 2>&1'"
	is "$(printf '%s\n' "$out" | sed -n 's/^ *[0-9.]* [0-9]* *//p')" "$(cat lines)" 'bashreadline: the lines'
	run "$DTR" bashreadline -s "$(command -v bash)" -c "sh -c 'bash --norc --noprofile -i <lines >/dev/null 2>&1'"
	is "$(printf '%s\n' "$out" | grep -c '[0-9]')" 3 'bashreadline -s'
else
	skip bashreadline 'bash has no function readline()'
fi

# ---- gethostlatency ----
cat >names.c <<'C'
#include <netdb.h>
#include <stddef.h>
int main(void)
{
	struct addrinfo *result;

	for (int i = 0; i < 3; i++)
		if (!getaddrinfo("127.0.0.1", "80", NULL, &result))
			freeaddrinfo(result);
	gethostbyname("127.0.0.2");
	getaddrinfo(NULL, "80", NULL, &result);
	return 0;
}
C
gcc -o names$$x names.c || exit 1
run "$DTR" gethostlatency -c "sh -c ./names$$x"
is "$(printf '%s\n' "$out" | awk 'NR > 1 { print $3, $5 }' | sort | uniq -c | tr -s ' ')" \
	" 1 names$$x 
 3 names$$x 127.0.0.1
 1 names$$x 127.0.0.2" 'gethostlatency: the names'
# of every process
"$DTR" gethostlatency -x switchrate=10ms -o hosts &
dtr=$!
children="$children $dtr"
wait_for TIME hosts
"./names$$x"
kill -INT "$dtr"
wait "$dtr"
is "$(grep -c "names$$x" hosts)" 5 'gethostlatency: a process that starts later'

# ---- sslsnoop: a handshake without certificates, in memory ----
cat >memory.py <<'P'
import ssl

def side(protocol, **how):
    context = ssl.SSLContext(protocol)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AECDH:@SECLEVEL=0")
    if protocol == ssl.PROTOCOL_TLS_CLIENT:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_bio(how["reads"], how["writes"], server_side=protocol == ssl.PROTOCOL_TLS_SERVER)

one, two = ssl.MemoryBIO(), ssl.MemoryBIO()
sides = [side(ssl.PROTOCOL_TLS_CLIENT, reads=one, writes=two), side(ssl.PROTOCOL_TLS_SERVER, reads=two, writes=one)]
waiting, failed = list(sides), 0
while waiting:
    for s in list(waiting):
        try:
            s.do_handshake()
            waiting.remove(s)
        except ssl.SSLWantReadError:
            failed += 1
for i in range(20):
    sides[0].write(b"x" * 100)
for i in range(40):
    sides[1].read(50)
print("1 SSL_do_handshake 2")
print("-1 SSL_do_handshake", failed)
P
uses_libssl() { python3 -c 'import _ssl; print(open("/proc/self/maps").read())' | grep libssl >maps; }
if python3 memory.py >want 2>&1 && uses_libssl; then
	run "$DTR" sslsnoop -o got -c 'python3 memory.py'
	is "$(awk '$6 ~ /handshake/ { n[$5 " " $6]++ } END { for (i in n) print i, n[i] }' got | sort)" \
		"$(sort want)" 'sslsnoop: handshakes and their results'
	is "$(awk '{ sub(/_ex/, "", $6); n[$6]++ } END { print n["SSL_write"], n["SSL_read"] }' got)" '20 40' \
		'sslsnoop: reads and writes'
else
	skip sslsnoop 'no Python with libssl.so and ciphers without certificates'
fi
done_testing
