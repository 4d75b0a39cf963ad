# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr plockstat: a program that holds locks of pthreads for known times, and measures how long it waits.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
gcc -O2 -o plocks "$SRC/tests/programs/plocks.c" -lpthread || exit 1

# Rows of an event and lock: count and sum of the times.
row() { # EVENT LOCK
	printf '%s\n' "$out" | awk -v e="$1" -v l="${2#0x}" '$4 == e && $5 == l { n += $1; t += $3 }
		END { print n + 0, t + 0 }'
}
locks() { # sets plain, recursive, rw, queue, mutex and reader: what the program has printed
	# shellcheck disable=SC2046
	set -- $(printf '%s\n' "$out" | grep '^0x')
	plain=$1 recursive=$2 rw=$3 queue=$4 mutex=$5 reader=$6
}
check() { # NAME
	run "$DTR" plockstat -c ./plocks
	locks
	like "$(row mutex-block "$plain")" '^5 ' "$1: a thread blocks for a mutex in each round"
	between "$(row mutex-block "$plain" | cut -d' ' -f2)" 1 "$mutex" "$1: for the time that it measured"
	is "$(row mutex-hold "$plain" | cut -d' ' -f1)" 10 "$1: both threads hold the mutex"
	is "$(row mutex-hold "$recursive" | cut -d' ' -f1)" 1000 "$1: a recursive mutex is held once, not twice"
	is "$(row mutex-block "$recursive")" '0 0' "$1: nobody waits for it"
	like "$(row reader-block "$rw")" '^5 ' "$1: a reader blocks in each round"
	between "$(row reader-block "$rw" | cut -d' ' -f2)" 1 "$reader" "$1: not longer than it measured"
	is "$(row reader-hold "$rw" | cut -d' ' -f1)" 5 "$1: and gets the lock"
	is "$(row writer-hold "$rw" | cut -d' ' -f1)" 5 "$1: a writer holds it"
	is "$(row mutex-hold "$queue" | cut -d' ' -f1)" 3 "$1: pthread_cond_wait() releases its mutex and acquires it"
}
check 'dynamic'
like "$out" 'mutex-block +[0-9a-f]+ +plocks`main\+' 'the caller'
if gcc -O2 -static -o plocks "$SRC/tests/programs/plocks.c" -lpthread 2>err; then
	check 'static'
else
	skip 'a static program' 'there is no static libc'
fi
run "$DTR" plockstat -C -c ./plocks
is "$(printf '%s\n' "$out" | grep -c -- '-hold')" 0 '-C: no hold times'
run "$DTR" plockstat -H -c ./plocks
is "$(printf '%s\n' "$out" | grep -c -- '-block')" 0 '-H: no waits'
like "$out" 'mutex-hold' '-H: hold times'
run "$DTR" plockstat
like "$status:$err" '^2:.*PID or -c COMMAND is missing' 'a process is required'
run "$DTR" plockstat -H ./plocks
like "$out" ' mutex-hold ' 'a command without -c'

# Each call once, also those that fail, of each kind of lock: the numbers of tests/programs/plockcalls.c.
calls() { # NAME
	run "$DTR" -qn 'plockstat$target::: { @[(int)arg0 & 0xfff, probename, arg1, arg2] = count(); }
		END { printa("%x %s %d %d %@d\n", @); }' -c ./plockcalls
	got=$(printf '%s\n' "$out" | awk 'NF == 2 { name[substr($1, length($1) - 2)] = $2; next }
		{ a = sprintf("%3s", $1); gsub(/ /, "0", a) } a in name { print name[a], $2, $3, $4, $5 }' | sort)
	is "$got" "$(cat "$SRC/tests/programs/plockcalls.out")" "$1: the provider fires for each call"
}
gcc -O2 -D_GNU_SOURCE -o plockcalls "$SRC/tests/programs/plockcalls.c" -lpthread && calls dynamic
run "$DTR" -x followfork -qn 'plockstat$target:::mutex-error /arg1 == 35/ { n++; } END { printf("n=%d\n", n); }' \
	-c 'sh -c "./plockcalls; exec true"'
like "$out" '(^|\n)n=7$' '-x followfork: processes that the target creates'
if gcc -O2 -D_GNU_SOURCE -static -o plockcalls "$SRC/tests/programs/plockcalls.c" -lpthread 2>err; then
	calls static
else
	skip 'the calls of a static program' 'there is no static libc'
fi
run "$DTR" -ln 'plockstat$target:::' -c ./plockcalls
is "$(printf '%s\n' "$out" | awk 'NR > 1 { print $NF }' | tr '\n' ' ')" "mutex-acquire mutex-block mutex-blocked \
mutex-error mutex-release rw-acquire rw-block rw-blocked rw-error rw-release " 'the probes'
run "$DTR" -n 'plockstat$target:::mutex-spin' -c ./plockcalls
like "$status:$err" '^1:.*mutex-spin.*glibc spins only' 'spins are refused with a reason'
run "$DTR" -n 'plockstat:::mutex-block'
like "$status:$err" "^1:.*'plockstat' does not contain a valid pid" 'a process ID is required'

# pthread_mutex_timedlock() ends with a tail call.
cat >timed.c <<'EOC'
#include <pthread.h>
#include <time.h>
int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	struct timespec past = { 1, 0 };
	pthread_mutex_lock(&m);
	return pthread_mutex_timedlock(&m, &past) != 110;
}
EOC
gcc -o timed timed.c -lpthread
run "$DTR" -x tailreturn -qn 'pid$target::pthread_mutex_timedlock:return { trace((int)arg1); }' -c ./timed
is "$status:$out" 0:110 '-x tailreturn: the result of the function that a tail call calls'

# A process that runs already, and has locked a mutex.
cat >attach.c <<'EOC'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, then = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	char c;
	pthread_mutex_lock(&first);
	read(0, &c, 1);
	pthread_mutex_unlock(&first);
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&then);
		pthread_mutex_unlock(&then);
	}
	return 0;
}
EOC
gcc -O2 -o attach attach.c -lpthread && mkfifo go
./attach <go &
pid=$!
children="$children $pid"
exec 3>go
wait_until executes $pid attach
run "$DTR" plockstat -p "$pid" -n 'BEGIN { system("echo >&3"); }' -w 3>&3
is "$(printf '%s\n' "$out" | awk '$4 == "mutex-hold" && /main/ { print $1 }')" 100 \
	'-p: a mutex that was locked before is not counted, the others are'
done_testing
