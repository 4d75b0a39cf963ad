# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Many targets, several tracers, and targets that are stopped, replaced or killed. Each target makes 100 calls when it
# has read a byte.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
any_of gcc || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
cat >target.c <<'X'
#include <unistd.h>
__attribute__((noipa)) int work(int x) { return x + 1; }
int main(void)
{
	char c;
	int n = 0;

	if (read(0, &c, 1) != 1)
		return 1;
	while (n < 100)
		n = work(n);
	return 0;
}
X
gcc -O2 -o target target.c
mkfifo go
exec 8<>go
bytes() { head -c "$1" /dev/zero >&8; } # NUMBER

launch() { # sets $pid to that of a target that waits
	./target <&8 &
	pid=$!
	children="$children $pid"
	wait_until sh -c "[ \$(readlink /proc/$pid/exe) = $PWD/target ]"
}
trace() { # FILE ARGUMENT...: starts a tracer and waits until it traces; sets $tracer
	file=$1
	shift
	"$DTR" -q -o "$file" -n 'BEGIN { printf("ready\n"); }' "$@" 2>"$file.err" &
	tracer=$!
	children="$children $tracer"
	wait_for ready "$file"
}
end() { # PID: ends a tracer
	kill -INT "$1"
	wait "$1"
}
calls() { awk 'NF == 2 { print $2 }' "$1"; } # FILE

# ---- fifty at once ----
all= specs=
for i in 1 2 3 4 5 6 7 8 9 10; do
	for k in 1 2 3 4 5; do
		launch
		all="$all $pid" specs="$specs${specs:+,}pid$pid:a.out:work:entry"
	done
done
trace fifty -n "$specs { @[pid] = count(); }"
bytes 50
# shellcheck disable=SC2086
wait $all
end "$tracer"
is "$(calls fifty | sort | uniq -c | awk '{ print $1, $2 }')" '50 100' 'fifty targets: the calls of each'

# ---- three tracers of one target ----
launch
tracers=
for i in 1 2 3; do
	trace one$i -n 'pid$1:a.out:work:entry, pid$1:a.out:work:return { @[probename] = count(); }' "$pid"
	tracers="$tracers $tracer"
done
bytes 1
wait "$pid"
for tracer in $tracers; do
	end "$tracer"
done
is "$(calls one1 && calls one2 && calls one3)" "$(printf '100\n%.0s' 1 2 3 4 5 6)" 'three tracers of one target'

# ---- a target that is stopped when tracing begins ----
launch
kill -STOP "$pid"
trace stopped -n 'pid$1:a.out:work:entry { @[pid] = count(); }' "$pid"
bytes 1
kill -CONT "$pid"
wait "$pid"
end "$tracer"
is "$(calls stopped)" 100 'a target that was stopped'

# ---- a target whose file has been replaced ----
launch
cp target other
mv other target
trace replaced -n 'pid$1:a.out:work:entry { @[pid] = count(); }' "$pid"
bytes 1
wait "$pid"
end "$tracer"
is "$(calls replaced)" 100 'a target whose file has been replaced'

# ---- a target that is killed ----
launch
trace killed -n 'pid$target:a.out:work:entry { @ = count(); }' -p "$pid"
kill -9 "$pid"
wait "$tracer"
is "$?:$(grep -v '^ready' killed | tr -dc 0-9)" 0: 'a target that is killed ends tracing'

# ---- several targets ----
for script in 'pid$target:a.out:work:entry { @[pid] = count(); }' 'pid*:target:work:entry { @[pid] = count(); }' \
	'pid$target:a.out:work:entry, pid$target:nothing:: { @[pid] = count(); }'; do
	launch
	first=$pid
	launch
	second=$pid
	launch
	other=$pid
	rm -f several
	trace several -Z -n "$script" -p "$first,$second"
	bytes 3
	wait "$first" "$second" "$other" "$tracer"
	is "$?:$(awk 'NF == 2' several | tr -s ' ' | sort)" \
		"0:$(printf ' %s 100\n %s 100\n' "$first" "$second" | sort)" "several targets: $script"
done
launch
first=$pid
launch
second=$pid
launch
other=$pid
run "$DTR" -l -n 'pid$target:a.out:work:entry' -p "$first" -p "$second"
is "$(printf '%s\n' "$out" | awk '$2 ~ /^pid/ { print $2 }')" "$(printf 'pid%s\npid%s\n' "$first" "$second")" \
	'several targets: a list'
trace only -x onlytarget -p "$first" -p "$second" -n "syscall::exit_group:entry { @[pid] = count(); }
	syscall::exit_group:entry /pid == $other/ { @[pid] = count(); } tick-1ms { ticks++; }
	END { printf(\"ticks %d\n\", ticks > 0); }"
trace progeny -p "$second" -p "$first" -n 'syscall::exit_group:entry /progenyof($target)/ { @[pid] = count(); }'
last=$tracer
bytes 3
wait "$first" "$second" "$other" "$last"
wait_until sh -c "[ ! -d /proc/$first ] && [ ! -d /proc/$second ]"
both=$(printf ' %s 1\n %s 1\n' "$first" "$second" | sort)
wait_for ticks only
is "$(awk 'NF == 2 && !/ticks/' only | tr -s ' ' | sort)" "$both" 'several targets: -x onlytarget'
like "$(cat only)" '^ticks 1$' 'several targets: clocks of the session fire'
is "$(awk 'NF == 2' progeny | tr -s ' ' | sort)" "$both" 'several targets: progenyof($target)'
run "$DTR" -x onlytarget -n BEGIN
like "$status $err" "^1 dtr: option 'onlytarget': there is no target" '-x onlytarget without a target'
for bad in 1,x 0 1, ,1; do
	run "$DTR" -p "$bad" -n BEGIN
	is "$status $err" "2 dtr: invalid process ID '$bad'" "-p $bad"
done
done_testing
