# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs that enable no probe: an error, unless -Z says that this is meant.
. "$SRC/tests/lib/tap.sh"
need_kernel

: >"$work/none.d"
printf '/* nothing */\n' >"$work/comment.d"
printf '#pragma D option quiet\n' >"$work/pragma.d"
printf 'inline int x = 3;\n' >"$work/inline.d"
printf 'struct s { int a; };\ntypedef struct s s_t;\n' >"$work/type.d"
printf 'int x; self int y; this int z; string names[int];\n' >"$work/variable.d"
printf 'struct o { int b; };\ntranslator struct o < struct task_struct *t > { b = t->pid; };\n' >"$work/translator.d"
printf 'syscall::acl:entry { trace(1); }\n' >"$work/elsewhere.d"
ended() { # NAME MESSAGE ARGUMENT...
	name=$1 message=$2
	shift 2
	run "$DTR" "$@"
	is "$status:$out:$(printf '%s\n' "$err" | grep -c -- "$message")" '1::1' "$name is an error"
}
for what in pragma inline type variable translator; do
	ended "a script of one $what" '^dtr: no probes matched$' -s "$work/$what.d"
	run "$DTR" -e -s "$work/$what.d"
	is "$status:$out:$err" 0:: 'it compiles'
	run "$DTR" -l -s "$work/$what.d"
	is "$status:$(printf '%s\n' "$out" | wc -l):$err" 0:1: '-l shows no probe of it'
done
for what in none comment; do
	ended "a script of one $what" 'empty D program translation unit$' -s "$work/$what.d"
	ended 'also where empty ones are allowed' '^dtr: no probes matched$' -x empty -s "$work/$what.d"
	run "$DTR" -e -x empty -s "$work/$what.d"
	is "$status:$err" 0: 'it compiles then'
done
ended "-n ''" 'empty D program translation unit$' -n ''
ended "-n '' with -x empty" '^dtr: no probes matched$' -x empty -n ''
ended 'a script of which Linux has no probe' '^dtr: no probes matched$' -s "$work/elsewhere.d"
ended '-S' '^dtr: no probes matched$' -S -s "$work/inline.d"
ended '-q' '^dtr: no probes matched$' -q -s "$work/inline.d"
ended '-c' '^dtr: no probes matched$' -s "$work/inline.d" -c "touch $work/run"
[ ! -e "$work/run" ]
ok $? 'and the command does not run'
ended 'nothing but -Z of another name' 'does not match any probes' -n 'nosuch:::probe'
run "$DTR" -O json -s "$work/inline.d"
is "$status:$(printf '%s\n' "$out" | grep -c '^{"type":"message","text":"no probes matched"}$')" 1:1 'in JSON, too'

# With -Z it waits, for a signal or for its target.
for args in "-s $work/inline.d" '-n nosuch:::probe' "-x empty -s $work/none.d"; do
	# shellcheck disable=SC2086
	run "$DTR" -Z $args -c 'sleep 0.3'
	is "$status:$(printf '%s\n' "$err" | grep -c 'has exited$')" 0:1 "-Z $args waits for its target"
done
"$DTR" -Z -n 'nosuch:::probe' 2>"$work/err" &
pid=$!
children="$children $pid"
wait_for 'matched 0 probes' "$work/err"
sleep 0.3
kill -0 $pid
ok $? 'and as long as it takes'
kill -INT $pid
wait $pid
is "$?" 0 'or for a signal'
run "$DTR" -Zq -n 'nosuch:::probe' -n 'BEGIN { exit(3); }'
is "$status" 3 'and runs what there is'

for args in '-c true' "-p $$" -e -v -S '-d I' -q; do
	# shellcheck disable=SC2086
	run "$DTR" $args
	is "$status:$out:$(printf '%s\n' "$err" | grep -c '^dtr: no probes specified')" '2::1' "$args alone"
done
done_testing
