#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tests/runner: what it counts, shows and ends.
. "$SRC/tests/lib/tap.sh"
any_of python3 || { echo '1..0 # SKIP no python3'; exit 0; }
cd "$work" || exit 1
make_test() { cat >"$work/$1.t"; } # NAME
make_test good <<'E'
echo 'ok 1 - a'; echo 'ok 2 - b # SKIP not here'; echo 1..2
E
make_test bad <<'E'
echo 'ok 1 - a'; echo 'not ok 2 - b'; echo '# got: 1'; echo 1..2; exit 1
E
make_test short <<'E'
echo 1..3; echo 'ok 1 - a'
E
make_test status <<'E'
echo 'ok 1 - a'; echo 1..1; exit 3
E
make_test left <<'E'
echo '1..0 # SKIP no such thing'
E
make_test silent <<'E'
sleep 100 & echo $! >>"$PIDS"; echo 'ok 1 - a'; wait
E
make_test lonely <<'E'
# alone: the test of the runner
[ ! -s "$RUNNING" ]; echo "$([ $? = 0 ] || echo 'not ')ok 1 - nothing else runs"; echo 1..1
E
make_test company <<'E'
echo 1 >"$RUNNING"; sleep 1; : >"$RUNNING"; echo 'ok 1 - a'; echo 1..1
E
export PIDS="$work/pids" RUNNING="$work/running"
runner() { run "$SRC/tests/runner" -l "$work/logs" "$@"; }
total() { printf '%s\n' "$out" | awk -v n="# $1:" 'index($0, n) == 1 { print $3 }'; }
totals() { echo "$status: $(total PASS) $(total FAIL) $(total SKIP)"; }

runner . "$work/good.t"
is "$(totals)" '0: 1 0 1' 'a test that passes, with a case that is skipped'
like "$out" 'SKIP: .*good.t - b # SKIP not here' 'the reason is shown'
runner . "$work/bad.t" "$work/good.t"
is "$(totals)" '1: 2 1 1' 'a test that fails'
like "$out" '^# got: 1$' 'what it printed is shown'
like "$err" '2/2 tests, 1 failed' 'progress'
runner . "$work/short.t"
is "$(totals)" '1: 1 1 0' 'fewer cases than planned'
runner . "$work/status.t"
is "$(totals)" '1: 1 1 0' 'a status without a failed case'
runner . "$work/left.t"
is "$(totals)" '0: 0 0 1' 'a test that is skipped as a whole'
like "$out" 'SKIP: .*left.t: no such thing' 'and why'
runner . "$work/nosuch.t"
like "$(totals)" '^1: 0 [1-9]' 'a test that does not exist'
runner -s 2 . "$work/silent.t" "$work/good.t"
like "$(totals)" '^1: 2 [1-9] 1' 'a test that hangs is ended, the others are not'
still_runs() { [ -d "/proc/$1" ] && ! grep -q ') Z ' "/proc/$1/stat"; }
has_ended() { ! still_runs "$(cat pids)"; }
wait_until has_ended
has_ended
ok $? 'with its children'
make_test patient <<'E'
# silent: 60 s: the test of the runner
sleep 3; echo 'ok 1 - a'; echo 1..1
E
runner -s 1 . "$work/patient.t"
is "$(totals)" '0: 1 0 0' 'a test that may be silent for longer'
make_test busy <<'E'
timeout 3 sh -c 'while :; do :; done'; echo 'ok 1 - a'; echo 1..1
E
runner -s 1 . "$work/busy.t"
is "$(totals)" '0: 1 0 0' 'a test that computes is not ended'
runner -j 4 . "$work/company.t" "$work/lonely.t" "$work/company.t"
is "$(totals)" '0: 3 0 0' 'a test that must run alone does'
runner -t 0 . "$work/good.t"
like "$out" 'left out for lack of time: 1 tests' 'no time is left'
runner -w false . "$work/good.t"
is "$status" 1 'a wrapper that fails'
done_testing
