# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -x maxcost with samples by ptrace(2): above the limit samples are rarer, and each counts for those that are left out.
# The limit is a part of one CPU's time far below what 997 samples a second cost, and far above what one costs.
. "$SRC/tests/lib/tap.sh"
. "$SRC/tests/lib/maxcost.sh"
as=$here/tests/kernel/as_user
"$as" test -x "$DTR" || { echo '1..0 # SKIP another user cannot read the build'; exit 0; }
calls=$here/tests/kernel/calls_known
limit=$(awk "BEGIN { printf \"%.3f\", 0.6 / $(getconf _NPROCESSORS_ONLN) + 0.001 }")
dtr=$DTR

run "$as" noperf "$dtr" -x engine=user -x nolibs -n 'profile-97 { exit(0); }' -c "$calls 10"
case $err in *'ptrace(2) is not permitted'*) echo '1..0 # SKIP ptrace(2) is not permitted'; exit 0 ;; esac
cat >"$work/dtr" <<END
#!/bin/sh
exec "$as" noperf "$dtr" -x engine=user -x nolibs "\$@"
END
chmod 755 "$work/dtr" "$work"
DTR=$work/dtr

value() { printf '%s\n' "$out" | sed -n "s/.*\"aggregation\":\"$1\".*\"value\":\([0-9]*\).*/\1/p" |
	awk '{ n += $1 } END { print n + 0 }'; }
field() { printf '%s\n' "$out" | sed -n "s/.*\"type\":\"$1\".*\"$2\":\([0-9]*\).*/\1/p"; }
held "$limit" -O json -x ledger -n 'profile-997 { @n = count(); @s = sum(3); @k[arg1 != 0, ustack(2)] = count(); }' \
	-c "$calls 20000 $work/err 'from now on'"
is "$status" 0 "the session is held at $limit %"
like "$err" 'costs [0-9.]+ % of .*: from now on fewer samples are taken.*; profile-997 fires at [0-9.]+ Hz' \
	'the beginning is reported'
like "$err" 'thinned by -x maxcost: tracing cost [0-9.]+ % of this' 'the table is printed'
like "$err" 'profile-997: rate lowered from 997 to ' 'with the rate'
count=$(value n)
is "$(field ledger delivered)" "$count" 'each sample counts for the firings that are due'
ran=$(field thinned run)
ok "$([ "$ran" -gt 0 ] && [ "$(field thinned firings)" -gt "$ran" ] && [ "$(field thinned firings)" -le "$count" ]
	echo $?)" 'samples were left out' "$out"
is "$(value s)" $((3 * count)) 'sum() has the same weights'
is "$(value k)" "$count" 'so have the rows with keys'

run "$DTR" -x maxcost=0.001% -qn 'profile-997 { x++; } END { printf("end\n"); }' -c "$calls forever"
is "$status" 1 'a script that needs each firing is stopped'
like "$err" 'stopped: .* maxcost is 0.001 %; firings of profile-997 cannot be left out \(line 1: .*: x\)' \
	'with the reason'
like "$out" '^end$' 'END runs'

run "$as" noperf notrace "$dtr" -x engine=user -x nolibs -x maxcost=1% -n 'profile-97 { @ = count(); }' -c "$calls 10"
is "$status" 1 'refused without ptrace(2)'
like "$err" 'maxcost is not possible here: only the kernel engine and samples by ptrace' 'with the reason'
done_testing
