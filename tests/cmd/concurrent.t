# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# 24 concurrent sessions on a busy machine, in both engines: all results are equal and correct. Some of the sessions
# are stopped in the meantime: their losses are counted, and nothing else changes.
. "$SRC/tests/lib/tap.sh"
need_kernel
as=$here/tests/kernel/as_user
SESSIONS=24
WRITES=20000
STOPPED=4	# sessions that are stopped while the target runs and must lose records
BUFFER=64k	# for a small part of the records; all sessions together lock a few megabytes

for i in 1 2 3; do
	sh -c 'while :; do :; done' &
	children="$children $!"
done

all() { seq $SESSIONS; }
there() { [ "$(cat "$work"/out.* 2>/dev/null | grep -c '^there')" = $SESSIONS ]; }
value() { awk -v w="$2" '$1 == w { print $2; exit }' "$work/out.$1"; } # SESSION WORD

# TARGET COMMAND...: starts all sessions on the target and waits until they trace; sets $pids to their process IDs
start_all() {
	tap_target=$1 pids=
	shift
	rm -f "$work"/out.* "$work"/err.*
	for i in $(all); do
		"$@" -p "$tap_target" >"$work/out.$i" 2>"$work/err.$i" </dev/null &
		pids="$pids $!"
	done
	children="$children $pids"
	wait_until there
}

wait_all() { # waits for all sessions; sets $statuses to the number of sessions with each exit status
	statuses=
	for p in $pids; do
		wait "$p"
		statuses="$statuses $?"
	done
	statuses=$(printf '%s\n' $statuses | sort | uniq -c | awk '{ printf "%s%d sessions: %d", sep, $1, $2;
		sep = ", " }')
}

# COMMAND...: prints the errors that the command finds for each session
wrong() {
	for i in $(all); do
		"$@" "$i" | sed "s/^/session $i: /"
	done
}

# SESSION: prints the rows of its ledger that do not add up or differ from the counts of the script.
wrong_ledger() {
	awk -v profile="$(value "$1" p)" -v tick="$(value "$1" t)" '/^  probe/ { for (i = 5; i <= NF; i++) {
		bracket[i + 2] = $i ~ /^\(/; name[i + 2] = $i } next }
	/^  (profile|tick)-/ {
		n = $4
		for (i = 7; i <= NF; i++) {
			if (!bracket[i]) n += $i
			if (name[i] == "unexplained" && $i) print "unexplained: " $i
		}
		if (n != $3) print "does not add up: " $0
		if ($4 != ($1 ~ /^tick/ ? tick : profile)) print "counted " profile ", " tick ": " $0
		rows++
	}
	END { if (rows != 2) print "not two rows" }' "$work/err.$1"
}

PROBES='profile-997 { @p = count(); } tick-10ms { @t = count(); }'
PRINT='printa("p %@d\n", @p); printa("t %@d\n", @t);'

if with_bpf 'system calls'; then
	mkfifo "$work/go"
	# dd starts after `go`, and then only writes one byte at a time
	sh -c "read go; exec dd if=/dev/zero of=/dev/null bs=1 count=$WRITES status=none" <"$work/go" &
	target=$!
	children="$children $target"
	exec 9>"$work/go"
	start_all $target "$DTR" -b $BUFFER -x ledger -qn "BEGIN { printf(\"there\\n\"); }
		syscall::write:entry /pid == \$target/ { @n = count(); @k[execname, arg0] = count();
		@s[ustack(1)] = count(); printf(\"r\\n\"); }
		syscall::write:return /pid == \$target && arg1 == 1/ { @r = count(); } $PROBES
		END { printa(\"n %@d\\n\", @n); printa(\"k %s %d %@d\\n\", @k); printa(\"s %@d\\n\", @s);
		printa(\"ret %@d\\n\", @r); $PRINT }"
	for p in $pids; do holds "$p"; done >"$work/held"
	# shellcheck disable=SC2086
	stopped=$(echo $pids | cut -d ' ' -f 1-$STOPPED)
	kill -STOP $stopped
	echo go >&9
	exec 9>&-
	wait $target
	kill -CONT $stopped
	wait_all
	is "$statuses" "$SESSIONS sessions: 0" 'all sessions exit with 0'
	is "$(cat "$work"/out.* | grep -E '^(n|k|ret) ' | sort | uniq -c | awk '{ $1 = $1; print }')" \
		"$SESSIONS k dd 1 $WRITES
$SESSIONS n $WRITES
$SESSIONS ret $WRITES" 'all sessions count every call, with and without keys'
	stacks() { [ "$(awk '$1 == "s" { n += $2 } END { print n }' "$work/out.$1")" = $WRITES ] ||
		echo "$(grep -c '^s ' "$work/out.$1") rows"; }
	is "$(wrong stacks)" '' 'all sessions count every call by stack'
	records() {
		printed=$(grep -c '^r$' "$work/out.$1")
		dropped=$(awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }' "$work/err.$1")
		[ $((printed + dropped)) = $WRITES ] || echo "$printed + $dropped"
		[ "$1" -gt $STOPPED ] || [ "$dropped" -gt 0 ] || echo 'none was lost'
	}
	is "$(wrong records)" '' 'every record is printed or counted as a drop'
	is "$(wrong wrong_ledger)" '' 'every ledger adds up and agrees with the counts'
	same "$(awk '{ print $1 }' "$work/held" | sort -u | xargs)" 'map program' 'the sessions held programs and maps'
	wait_until nothing_held "$work/held"
	is "$(still_held "$work/held")" '' 'no program or map remains after the sessions'
fi

# The rootless engine: as another user, who can lock only little memory, and as root.
for who in "$as" "$as root"; do
	$as test -x "$DTR" || { skip 'two dozen rootless sessions' 'another user cannot read the build'; break; }
	rm -f "$work/go"
	mkfifo "$work/go"
	$who "$here/tests/kernel/busy" wait split 400 100 <"$work/go" >"$work/ran" &
	target=$!
	children="$children $target"
	exec 9>"$work/go"
	is_busy() { [ "$(cat "/proc/$target/comm")" = busy ]; }
	wait_until is_busy
	# shellcheck disable=SC2086
	start_all $target $who "$DTR" -x engine=user -x ledger -qn "BEGIN { printf(\"there\\n\"); }
		$PROBES profile-997 { @s[ustack()] = count(); }
		END { $PRINT printa(\"%@d\\n\", @s); }"
	echo go >&9
	exec 9>&-
	wait_all
	name="rootless, ${who##*/}"
	is "$statuses" "$SESSIONS sessions: 0" "$name: all sessions exit with 0"
	is "$(wrong wrong_ledger)" '' "$name: every ledger adds up and agrees with the counts"
	# expected comes from the run time of the target according to the kernel, which includes the start and the end
	# of the program
	due=$(awk '$1 == "ran" { print $2 * 0.997 }' "$work/ran")
	expected() { awk -v due="$due" '$1 == "profile-997" && ($3 < due * 0.95 - 6 || $3 > due * 1.1 + 60) {
		print $3 " of " due }' "$work/err.$1"; }
	is "$(wrong expected)" '' "$name: every session expects one firing per interval of run time"
	cat "$work"/err.* | awk -v due="$due" '$1 == "profile-997" {
		print "# due " due ", expected " $3 ", delivered " $4 }' | sort | uniq -c | sort -rn |
			sed 's/^ *\([0-9]*\) # /# \1 times: /' | head -n 3
done
done_testing
