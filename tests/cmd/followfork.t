#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -x followfork: probes of a process fire in the processes that it creates, however it creates them
# (tests/programs/family.c), in what they load and execute, and in no other process.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_ptrace
need_types
with_bpf 'followfork' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
gcc -O2 -w -pthread -I"$SRC/tests/programs" -o family "$SRC/tests/programs/family.c" || exit 1
kinds='leaf fork orphan vfork clone threads exec vexec many load'

# What the processes have printed, added up
own() {
	awk 'NF == 3 && $2 ~ /^(entry|return)$/ { n[$1 " " $2] += $3 } END { for (k in n) print k, n[k] }' "$@" |
		sort
}
script='pid$target:a.out:leaf:entry, pid$target:a.out:leaf:return { @[probefunc, probename] = count(); }
	END { printa("%s %s %@d\n", @); }'
counts_equal() { # NAME COMMAND [DTR...]
	name=$1 command=$2
	shift 2
	rm -f got
	run "$@" "$DTR" -Z -x followfork -q -o got -n "$script" -c "$command"
	own out >known
	sort got >measured
	if [ -s known ] && grep -q . measured && [ "$(grep . measured)" = "$(cat known)" ]; then ok 0 "$name"
	else ok 1 "$name" "$(diff known measured)" "$err"; fi
}
for kind in $kinds; do
	! in_part "$kind" || counts_equal "counts: $kind" "./family $kind"
done
counts_equal 'counts: all' "./family $kinds"
counts_equal 'counts: created by a shell' "sh -c './family fork & ./family exec; wait'"
number() { printf '%s\n' "$out" | awk 'NF == 1 && $1 ~ /^[0-9]+$/ { print $1 }'; }
run "$DTR" -qn 'pid$target:a.out:leaf:entry { @ = count(); }' -c './family fork orphan clone exec'
is "$(number)" 1 'without the option: only the process itself'

# ---- running processes; others with the same program ----
mkfifo in
rm -f got
./family wait fork orphan threads <in >own1 &
target=$!
children="$children $target"
exec 4>in
"$DTR" -x followfork -q -o got -n "BEGIN { printf(\"ready\n\"); } $script" -p "$target" 2>err &
dtr=$!
children="$children $dtr"
wait_for ready got
./family fork orphan many >other
printf x >&4
exec 4>&-
wait "$dtr"
own own1 >known
is "$(grep leaf got | sort)" "$(cat known)" 'a running process; another one with the same program is not traced'

part_ends
# ---- what children load ----
cat >plugin.c <<'Y'
__attribute__((noipa)) int plugin_work(int x) { return x + 1; }
int plugin_run(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += plugin_work(i);
	return sum;
}
Y
gcc -O2 -shared -fPIC -o plugin.so plugin.c
run "$DTR" -Z -x followfork -qn 'pid$target:plugin.so:plugin_work:entry { @ = count(); }' -c './family load load'
is "$(number)" 200 'a library that two children load'

# ---- other providers ----
cat >forks.c <<'Y'
#include <sys/wait.h>
#include <unistd.h>
#include "forks.h"
int counter;
__attribute__((noipa)) static void work(int n)
{
	for (int i = 0; i < n; i++) {
		counter++;
		FORKS_WORK(i);
	}
}
int main(void)
{
	if (!fork()) {
		work(10);
		_exit(0);
	}
	while (wait(0) > 0)
		;
	work(5);
	return 0;
}
Y
echo 'provider forks { probe work(int n); };' >forks.d
"$DTR" -h -s forks.d
gcc -O0 -g -I. -o forks forks.c
for row in "usdt|forks\$target:::work" "line|line\$target:forks.c:work:$(grep -n 'counter++' forks.c | cut -d: -f1)"; do
	for option in '0 5' '1 15'; do
		run "$DTR" -x followfork="${option% *}" -qn "${row#*|} { @ = count(); }" -c ./forks
		is "$(printf '%s' "$out" | tr -dc 0-9)" "${option#* }" "${row%%|*}: followfork=${option% *}"
	done
done
if breaks; then
	run "$DTR" -x followfork -qn 'watch$target:::counter-write { @ = count(); }' -c ./forks
	is "$(printf '%s' "$out" | tr -dc 0-9)" 15 'watch: followfork'
else
	skip 'watch: followfork' 'hardware breakpoints do not fire here'
fi

# ---- PID name spaces ----
if unshare -pf --mount-proc true 2>/dev/null; then
	one='unshare -pf --mount-proc'
	counts_equal 'counts: in a PID name space' './family fork orphan many' $one
	if $one $one $one $one $one $one true 2>/dev/null; then
		counts_equal 'counts: in the sixth PID name space' './family fork orphan many' $one $one $one \
			$one $one $one
	else
		skip 'counts: in the sixth PID name space' 'no PID name spaces of that depth'
	fi
	! if_can 'counts: in a PID name space of its own' initial_pids ||
		counts_equal 'counts: in a PID name space of its own' 'unshare -pf ./family fork orphan threads'
else
	skip 'counts: in a PID name space' 'PID name spaces are not permitted'
	skip 'counts: in a PID name space of its own' 'PID name spaces are not permitted'
fi
done_testing
