# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sets and slews the wall clock while dtr runs: walltimestamp follows; waiting and measuring are not affected. Runs only
# on the test machine, because it changes the system.
. "$SRC/tests/lib/tap.sh"
[ "${DTR_VM-}" = 1 ] || { echo '1..0 # SKIP sets the clock: only in the virtual machine'; exit 0; }
need_kernel
DAY=86400

ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }
step() { date -s "@$(($(date +%s) + $1))" >/dev/null; }
lines() { grep -c '^w' "$f"; }
more() { [ "$(lines)" -ge $((had + 5)) ]; }
more_lines() { had=$(lines); wait_until more; }
# Prints the differences in days between walltimestamp and its first value, in order, without repetitions.
days() {
	awk '$1 == "w" { off = ($3 - $2) / 1e9; if (!n++) first = off; d = (off - first) / 86400;
		d = int(d + (d < 0 ? -0.5 : 0.5))
		if (n == 1 || d != last) printf("%s%d", sep, d); sep = " "; last = d }' "$f"
}
shows() { [ "$(days)" = "$1" ]; }
step_to() { # SECONDS DAYS-SO-FAR
	step "$1"
	wait_until shows "$2"
	more_lines
}

for engine in bpf user; do
	f=$work/$engine
	begun=$(ms)
	"$DTR" -x engine=$engine -x ledger -x statusrate=1h -qn 'tick-50ms { printf("w %d %d\n", timestamp,
		walltimestamp); }
		profile-97 { @ = count(); } END { printa("all %@d\n", @); }' >"$f" 2>"$work/err" &
	dtr=$!
	children="$children $dtr"
	more_lines
	step_to $DAY '0 1'
	step_to $((-2 * DAY)) '0 1 -1'
	adjtimex -t 11000 >/dev/null	# the clock runs a tenth faster
	more_lines
	more_lines
	adjtimex -t 10000 >/dev/null
	step_to $DAY '0 1 -1 0'
	kill -INT $dtr
	wait $dtr
	status=$? err=$(cat "$work/err")
	took=$(($(ms) - begun + 20))
	is "$status" 0 "$engine: exits with status 0"
	is "$(days)" '0 1 -1 0' "$engine: walltimestamp follows each step"
	is "$(awk -v took="$took" '$1 == "w" { if (n++ && $2 <= last) print; last = $2; if (n == 1) first = $2 } END {
		if ((last - first) / 1e6 > took) print "too long" }' "$f")" '' \
		"$engine: timestamp does not jump"
	# what a day more or less would have made of it
	printf '%s\n' "$err" | grep '^  [pt]' | sed 's/^/# /'
	is "$(printf '%s\n' "$err" | awk -v took="$took" -v cpus="$(nproc)" '$1 == "profile-97" { seen++;
		if ($3 > took * 0.097 * cpus + cpus) print }
		$1 == "tick-50ms" { seen++; if ($3 > took / 50 + 1) print } END {
		if (seen != 2) print "no ledger" }')" '' "$engine: a step does not fire a probe"
	is "$(printf '%s\n' "$err" | awk '/^  probe/ { for (i = 5; i <= NF; i++) bracket[i + 2] = $i ~ /^\(/; next }
		/^  (profile|tick)-/ { n = $4; for (i = 7; i <= NF; i++) if (!bracket[i]) n += $i; if (n != $3) print;
		rows++ }
		END { if (!rows) print "no rows" }')" '' "$engine: the ledger adds up"
done

# The step wakes the consumer, which would otherwise sleep for an hour.
f=$work/woken
"$DTR" -x statusrate=1h -x switchrate=1h -qn 'tick-50ms { printf("w %d %d\n", timestamp, walltimestamp); }' >"$f" \
	2>"$work/err" &
dtr=$!
children="$children $dtr"
armed() { ls -l /proc/$dtr/fd | grep -q timerfd; }
wait_until armed
again() { step 1; [ "$(lines)" -ge 3 ]; }
wait_until again
err=$(cat "$work/err")
ok "$([ "$(lines)" -ge 3 ]; echo $?)" 'dtr follows a step immediately'
kill -INT $dtr
wait $dtr

# A recording has the time of day of its start, and durations of the monotonic clock.
before=$(date +%s)
begun=$(ms)
# `run` cannot be used: timeout uses the wall clock.
"$DTR" record -F 97 -o "$work/rec" -c \
	"sh -c '$here/tests/kernel/busy split 300 0; date -s @$((before + DAY)); $here/tests/kernel/busy split 300 0'" \
	>"$work/out" 2>&1
is $? 0 'a recording during a step'
took=$(($(ms) - begun + 20))
run "$DTR" -r "$work/rec" -qn 'BEGIN { begun = timestamp; printf("wall %d\n", walltimestamp / 1000000000); }
	profile-97 { @ = max((timestamp - begun) / 1000000); n++; } END { printa("last %@d\n", @);
	printf("n %d\n", n); }'
between "$(printf '%s\n' "$out" | awk '$1 == "wall" { print $2 }')" $((before - 1)) $((before + took / 1000 + 1)) \
	'its start is the time of day before the step'
between "$(printf '%s\n' "$out" | awk '$1 == "last" { print $2 }')" 100 "$took" 'its duration does not include the step'
step -$DAY
done_testing
