# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs that enable no probe: an error, unless -Z allows it.
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
	ended "a script with only one $what" '^dtr: no probes matched$' -s "$work/$what.d"
	run "$DTR" -e -s "$work/$what.d"
	is "$status:$out:$err" 0:: "a script with only one $what compiles"
	run "$DTR" -l -s "$work/$what.d"
	is "$status:$(printf '%s\n' "$out" | wc -l):$err" 0:1: "-l lists no probe for a script with only one $what"
done
for what in none comment; do
	ended "a script with $what" 'empty D program translation unit$' -s "$work/$what.d"
	ended "a script with $what and -x empty" '^dtr: no probes matched$' -x empty -s "$work/$what.d"
	run "$DTR" -e -x empty -s "$work/$what.d"
	is "$status:$err" 0: "a script with $what compiles with -x empty"
done
ended "-n ''" 'empty D program translation unit$' -n ''
ended "-n '' with -x empty" '^dtr: no probes matched$' -x empty -n ''
ended 'a script whose only probe Linux does not have' '^dtr: no probes matched$' -s "$work/elsewhere.d"
ended 'no probe with -S' '^dtr: no probes matched$' -S -s "$work/inline.d"
ended 'no probe with -q' '^dtr: no probes matched$' -q -s "$work/inline.d"
ended 'no probe with -c' '^dtr: no probes matched$' -s "$work/inline.d" -c "touch $work/run"
[ ! -e "$work/run" ]
ok $? 'the command of -c does not run'
ended 'a probe of an unknown provider without -Z' 'does not match any probes' -n 'nosuch:::probe'
run "$DTR" -O json -s "$work/inline.d"
is "$status:$(printf '%s\n' "$out" | grep -c '^{"type":"message","text":"no probes matched"}$')" 1:1 'the error in JSON'

# With -Z, dtr waits for a signal or for its target.
for args in "-s $work/inline.d" '-n nosuch:::probe' "-x empty -s $work/none.d"; do
	# shellcheck disable=SC2086
	run "$DTR" -Z $args -c 'sleep 0.3'
	is "$status:$(printf '%s\n' "$err" | grep -c 'has exited$')" 0:1 "-Z $args waits for its target"
done
"$DTR" -Z -n 'nosuch:::probe' 2>"$work/err" &
pid=$!
children="$children $pid"
wait_for 'matched 0 probes' "$work/err"
slept() { awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$pid/status"; }
# It sleeps at most 0.1 s at a time; to end, it would not sleep so often.
waits() { ! kill -0 $pid || [ "$(slept)" -ge $((from + 10)) ]; }
from=$(slept)
wait_until waits
ok $? '-Z without a target keeps waiting'
kill -INT $pid
wait $pid
is "$?" 0 'a signal ends it'
run "$DTR" -Zq -n 'nosuch:::probe' -n 'BEGIN { exit(3); }'
is "$status" 3 '-Z runs the probes that match'

for args in '-c true' "-p $$" -e -v -S '-d I' -q; do
	# shellcheck disable=SC2086
	run "$DTR" $args
	is "$status:$out:$(printf '%s\n' "$err" | grep -c '^dtr: no probes specified')" '2::1' \
		"$args alone is a usage error"
done
done_testing
