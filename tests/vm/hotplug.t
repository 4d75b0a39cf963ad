# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A CPU is taken offline and brought back while dtr runs: profile follows, tick moves, no count is lost. For the test
# machine (tests/vm/run -c 4) only: elsewhere this would change the system.
. "$SRC/tests/lib/tap.sh"
[ "${DTR_VM-}" = 1 ] || { echo '1..0 # SKIP takes CPUs offline: only in the virtual machine'; exit 0; }
need_kernel

window() { # FILE N: until the N-th window is printed, 60 s at most
	tap_i=0
	until grep -q "^window $2\$" "$1" || [ $tap_i -ge 600 ]; do
		sleep 0.1
		tap_i=$((tap_i + 1))
	done
}

power() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; } # CPU 0|1

# The count that FILE shows for KEY in window N, 0 if none.
shown() { # FILE N KEY
	awk -v n="$2" -v k="$3" '$1 == "window" { w = $2 } w == n && $1 == k { c = $2 } END { print c + 0 }' "$1"
}

follow() { # CPU: profile leaves it and comes back to it
	f=$work/follow.$1
	"$DTR" -qn 'profile-97 { @[cpu] = count(); @all = count(); }
		tick-1s { n++; printf("window %d\n", n); printa("%d %@d\n", @); trunc(@); }
		tick-1s /n == 12/ { exit(0); }
		END { printf("window %d\n", n + 1); printa("%d %@d\n", @); printa("total %@d\n", @all); }' >"$f" 2>"$work/err" &
	dtr=$!
	children="$children $dtr"
	window "$f" 2
	power "$1" 0
	window "$f" 4
	off=$(grep -c '^window' "$f")
	window "$f" 6
	power "$1" 1
	window "$f" 8
	wait $dtr
	status=$?
	err=$(cat "$work/err")
	is "$status" 0 "CPU $1 goes and comes back: dtr ends well"
	between "$(shown "$f" 2 "$1")" 10 200 "CPU $1 fires before"
	is "$(shown "$f" $((off + 1)) "$1")" 0 "CPU $1 does not fire while it is offline"
	between "$(shown "$f" 11 "$1")" 10 200 "CPU $1 fires again"
	between "$(shown "$f" $((off + 1)) 0)" 10 200 'CPU 0 fires all the time'
	is "$(awk '$1 != "window" && $1 != "total" { s += $2 } END { print s }' "$f")" "$(awk '$1 == "total" { print $2 }' "$f")" \
		'what the windows show is all there was'
}

move() { # tick's CPU is taken away: it fires on another one
	f=$work/move
	"$DTR" -qn 'tick-10ms { @[cpu] = count(); }
		tick-1s { n++; printf("window %d\n", n); printa("%d %@d\n", @); trunc(@); }
		tick-1s /n == 9/ { exit(0); }' >"$f" 2>"$work/err" &
	dtr=$!
	children="$children $dtr"
	window "$f" 2
	from=$(awk '$1 != "window" && $2 > m { m = $2; c = $1 } END { print c + 0 }' "$f")
	if [ "$from" = 0 ]; then # the first CPU cannot be taken away: then the others are, which must not disturb it
		for c in 1 2 3; do power $c 0; done
	else
		power "$from" 0
	fi
	window "$f" 4
	off=$(grep -c '^window' "$f")
	window "$f" 7
	if [ "$from" = 0 ]; then for c in 1 2 3; do power $c 1; done; else power "$from" 1; fi
	wait $dtr
	is $? 0 "tick on CPU $from: dtr ends well"
	after=$(awk -v n=$((off + 1)) '$1 == "window" { w = $2; next } w == n { s += $2 } END { print s + 0 }' "$f")
	between "$after" 50 150 'tick-10ms goes on'
	[ "$from" = 0 ] || is "$(shown "$f" $((off + 1)) "$from")" 0 "and not on CPU $from"
}

# A CPU that comes online when dtr is there already, and one that goes and comes back: a process that ran there and has ended has names.
named() { # CPU FIRST-STATE
	f=$work/named.$1
	power "$1" "$2"
	"$DTR" -qn 'profile-97 /execname == "spinfn"/ { @[usym(arg1)] = count(); }
		tick-1s { n++; printf("window %d\n", n); } tick-1s /n == 12/ { exit(0); }' >"$f" 2>"$work/err" &
	dtr=$!
	children="$children $dtr"
	window "$f" 2
	[ "$2" = 0 ] || { power "$1" 0; window "$f" 4; }
	power "$1" 1
	window "$f" 7
	"$here/tests/kernel/spinfn" "$1" >/dev/null &
	spin=$!
	children="$children $spin"
	window "$f" 9
	stop $spin
	wait $dtr
	is $? 0 "names on CPU $1: dtr ends well"
	err=$(cat "$work/err")
	like "$(cat "$f")" 'spinfn`spin_here +[0-9]' "a process on CPU $1 that has ended has names"
}

named 2 0
named 3 1
follow 1
follow 3
move
done_testing
