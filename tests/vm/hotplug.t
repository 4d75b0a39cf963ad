# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Takes a CPU offline and brings it back while dtr runs: profile follows, tick moves, no count is lost. Runs only on the
# test machine (tests/vm/run -c 4), because it changes the system.
#
# A virtual CPU, dtr, or this script may stop for seconds at any moment. So each step waits for a condition. Counts are
# assigned to a period by the time of the ticks: a line "window N MS" and the counts since the previous window.
. "$SRC/tests/lib/tap.sh"
[ "${DTR_VM-}" = 1 ] || { echo '1..0 # SKIP takes CPUs offline: only in the virtual machine'; exit 0; }
need_kernel

WINDOWS='tick-1s { n++; printf("window %d %d\n", n, timestamp / 1000000); printa("%d %@d\n", @); trunc(@); }'

power() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; } # CPU 0|1
now() { awk '{ printf "%d\n", $1 * 1000 + 20 }' /proc/uptime; } # ms; the file has hundredths, rounded down
windows() { grep -c '^window' "$f"; }

# Prints the count of KEY in the windows FROM to TO of $f.
shown() { # FROM TO KEY
	awk -v from="$1" -v to="$2" -v k="$3" '$1 == "window" { w = $2 } w >= from && w <= to && $1 == k { c += $2 }
		END { print c + 0 }' "$f"
}
counted() { [ "$(shown "$1" 999999 "$2")" -gt 0 ]; } # FROM KEY

# Sets $first to the first window that begins after now.
from_now() {
	tap_now=$(now)
	later() { first=$(awk -v t="$tap_now" '$1 == "window" && $3 > t { print $2 + 1; exit }' "$f")
	[ -n "$first" ] && [ "$(windows)" -ge "$first" ]; }
	wait_until later
}

start() { # SCRIPT FILE OPTION...
	tap_script=$1 f=$2
	shift 2
	"$DTR" "$@" -qn "$tap_script" >"$f" 2>"$work/err" &
	dtr=$!
	children="$children $dtr"
}

finish() { # NAME
	kill -INT $dtr
	wait $dtr
	is $? 0 "$1"
	err=$(cat "$work/err")
}

follow() { # CPU: profile leaves it and comes back to it
	start "profile-97 { @[cpu] = count(); @all = count(); } $WINDOWS"'
		END { printf("window %d 0\n", n + 1); printa("%d %@d\n", @); printa("total %@d\n", @all); }' \
			"$work/follow.$1"
	wait_until counted 1 "$1"
	counted 1 "$1"
	ok $? "CPU $1 fires at first"
	power "$1" 0
	from_now
	wait_until counted "$first" 0
	last=$(windows)
	counted "$first" 0
	ok $? 'CPU 0 fires in every window'
	is "$(shown "$first" "$last" "$1")" 0 "CPU $1 does not fire while it is offline"
	power "$1" 1
	from_now
	wait_until counted "$first" "$1"
	counted "$first" "$1"
	ok $? "CPU $1 fires again"
	finish "CPU $1 goes offline and online: dtr exits with status 0"
	is "$(awk '$1 != "window" && $1 != "total" { s += $2 } END { print s }' "$f")" "$(awk '$1 == "total" {
		print $2 }' "$f")" \
		'the sum of the windows is the total'
}

move() { # tick's CPU is taken away: it fires on another one
	start "BEGIN { begun = timestamp; } tick-10ms { @[cpu] = count(); @all = count(); } $WINDOWS"'
		END { printa("total %@d\n", @all); printf("most %d\n", (timestamp - begun) / 10000000 + 1); }' \
			"$work/move"
	two() { [ "$(windows)" -ge 2 ]; }
	wait_until two
	from=$(awk '$1 != "window" && $2 > m { m = $2; c = $1 } END { print c + 0 }' "$f")
	if [ "$from" = 0 ]; then # the first CPU cannot be taken away: then the others are, which must not disturb it
		for c in 1 2 3; do power $c 0; done
	else
		power "$from" 0
	fi
	from_now
	ticks() { awk -v from="$first" '$1 == "window" { w = $2; next } w >= from { s += $2 } END { exit !(s > 20) }' \
		"$f"; }
	wait_until ticks
	ticks
	ok $? 'tick-10ms continues'
	[ "$from" = 0 ] || is "$(shown "$first" "$(windows)" "$from")" 0 "on another CPU than $from"
	if [ "$from" = 0 ]; then for c in 1 2 3; do power $c 1; done; else power "$from" 1; fi
	finish "tick on CPU $from: dtr exits with status 0"
	between "$(awk '$1 == "total" { print $2 }' "$f")" 20 "$(awk '$1 == "most" { print $2 }' "$f")" \
		'tick fires once per interval'
}

# A CPU that comes online after dtr has started, or goes offline and online: addresses of a process that ran there and
# has ended are resolved.
named() { # CPU FIRST-STATE
	power "$1" "$2"
	start 'profile-97 /execname == "spinfn"/ { @s[usym(arg1)] = count(); @[0] = count(); }'" $WINDOWS" \
		"$work/named.$1"
	from_now
	[ "$2" = 0 ] || { power "$1" 0; from_now; }
	power "$1" 1
	tap_on=$(($(now) + 2000)) # dtr looks for new CPUs once a second
	looked() { [ "$(awk -v t="$tap_on" '$1 == "window" && $3 > t' "$f" | wc -l)" -ge 2 ]; }
	wait_until looked
	"$here/tests/kernel/spinfn" "$1" >/dev/null &
	spin=$!
	children="$children $spin"
	wait_until counted 1 0
	stop $spin
	finish "names on CPU $1: dtr exits with status 0"
	like "$(cat "$f")" 'spinfn`spin_here +[0-9]' "addresses of an ended process on CPU $1 are resolved"
}

# A CPU that is offline when dtr starts, then comes online, goes and comes again: all events on it are counted, printed
# records and drops add up to them, and the ledger has the periods in which it was online.
come() { # CPU
	power "$1" 0
	start 'syscall::write:entry /execname == "dd" && arg0 == 1/ { @n[cpu] = count(); @k[stack(1), cpu] = count();
		printf("r %d\n", cpu); self->t = 1; }
		syscall::write:return /self->t && arg1 == 1/ { @r[cpu] = count(); self->t = 0; } profile-97 {
		@p[cpu] = count(); }
		BEGIN { printf("there\n"); } END { printa("n %d %@d\n", @n); printa("ret %d %@d\n", @r);
		printa("p %d %@d\n", @p); }' "$work/come" -x ledger=cpu
	wait_for there "$f"
	power "$1" 1
	writes "$1" 1000	# before dtr has looked
	wait_until grep -q "^r $1$" "$f"
	writes 0 500
	writes "$1" 1000
	power "$1" 0
	writes 0 500
	power "$1" 1
	writes "$1" 1000
	finish "CPU $1 goes online, offline, online: dtr exits with status 0"
	is "$(grep -E '^(n|ret) ' "$f" | sort | xargs)" "n 0 1000 n $1 3000 ret 0 1000 ret $1 3000" \
		'system calls on every CPU are counted'
	drops=$(printf '%s\n' "$err" | awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }')
	is "$(($(grep -c '^r ' "$f") + drops))" 4000 'each record is printed or counted as a drop'
	is "$(grep '^r ' "$f" | sort -u | xargs)" "r 0 r $1" 'a record has its CPU'
	is "$(wrong_ledger)" '' 'the ledger adds up on every CPU'
}

writes() { taskset "$(printf %x $((1 << $1)))" dd if=/dev/zero of=/dev/null bs=1 count="$2" 2>/dev/null; } # CPU N

# Prints the rows of the ledger ($err) that do not add up, or differ from the script's counts (lines "p CPU N" in $f).
wrong_ledger() {
	printf '%s\n' "$err" | awk -v file="$f" 'BEGIN { while ((getline line <file) > 0) if (split(line, w,
		" ") == 3 && w[1] == "p") counted[w[2]] = w[3] }
		/^  probe/ { for (i = 5; i <= NF; i++) bracket[i + 2] = $i ~ /^\(/; next }
		$1 == "profile-97" { n = $4; for (i = 7; i <= NF; i++) if (!bracket[i]) n += $i; rows++
			if (n != $3 || ($2 != "all" && $4 != counted[$2] + 0)) print }
		END { if (!rows) print "no rows" }'
}

# The rootless engine also samples a CPU that comes online later or again: CPUs as root, and threads on any CPU.
rootless() { # CPU GOES: it is offline at the start, or it was away
	power "$1" $(($2))
	start 'profile-97 { @[cpu] = count(); @p[cpu] = count(); }'" $WINDOWS"'
		END { printa("p %d %@d\n", @p); }' "$work/rootless.$1" -x engine=user -x ledger=cpu
	from_now
	[ "$2" = 0 ] || { power "$1" 0; from_now; }
	power "$1" 1
	taskset "$(printf %x $((1 << $1)))" "$here/tests/kernel/spinfn" "$1" >/dev/null &
	spin=$!
	children="$children $spin"
	from_now
	wait_until counted "$first" "$1"
	counted "$first" "$1"
	ok $? "rootless: CPU $1 is sampled once it is online"
	wait_until counted "$first" 0
	counted "$first" 0
	ok $? 'rootless: CPU 0 is sampled in every window'
	finish "rootless: CPU $1 comes online: dtr exits with status 0"
	is "$(wrong_ledger)" '' 'rootless: the ledger adds up on every CPU'
	stop $spin
}

thread() { # CPU: a target that moves to it
	power "$1" 0
	taskset 1 "$here/tests/kernel/spinfn" 0 >/dev/null &
	spin=$!
	children="$children $spin"
	start 'profile-97 { @[cpu] = count(); @p[cpu] = count(); }'" $WINDOWS"'
		END { printa("p %d %@d\n", @p); }' "$work/thread" -x engine=user -x ledger=cpu -p $spin
	wait_until counted 1 0
	power "$1" 1
	taskset -p "$(printf %x $((1 << $1)))" $spin >/dev/null
	wait_until counted 1 "$1"
	counted 1 "$1"
	ok $? "rootless: a thread is sampled on CPU $1, which came online later"
	finish 'rootless: dtr exits with status 0'
	is "$(wrong_ledger)" '' "rootless: the thread's ledger adds up"
	stop $spin
}

come 3
rootless 2 0
rootless 1 1
thread 3
named 2 0
named 3 1
follow 1
follow 3
move
done_testing
