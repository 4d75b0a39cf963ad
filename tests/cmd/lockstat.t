# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lockstat: a thread that waits for locks of the kernel and measures its own calls; the kernel's tracepoints.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
gcc -O2 -D_GNU_SOURCE -o waits "$SRC/tests/programs/waits.c" -lpthread || exit 1
case $(stat -f -c %T /dev/shm 2>/dev/null) in
tmpfs) ;;
*) echo '1..0 # SKIP /dev/shm is not in memory'; exit 0 ;;
esac
file=$(mktemp /dev/shm/lockstatXXXXXX)
trap 'rm -f "$file"; tap_cleanup' EXIT

# The thread's waits and their times: of the probe, and of the tracepoints of the lock.
cat >waits.d <<'EOD'
#pragma D option quiet
rawtp:::contention_begin
/tid == $target && !self->lock && (arg1 & 0x27) != 1/
{
	self->lock = arg0;
	self->since = timestamp;
}
rawtp:::contention_end
/tid == $target && self->lock == arg0/
{
	waited += timestamp - self->since;
	ends++;
	self->lock = 0;
}
lockstat:::adaptive-spin, lockstat:::adaptive-block, lockstat:::rw-block
/tid == $target/
{
	n[probename]++;
	took += arg1;
	held += arg3;
	writers += probename == "rw-block" && !arg2;
}
END
{
	printf("%d %d %d %d ", n["adaptive-block"], n["rw-block"], took, waited);
	printf("%d %d\n", held, writers);
}
EOD
# A thread that is delayed between its call and the lock is measured wrongly by itself, and the owner may be done before
# the thread waits: five tries.
waits() { # KIND PROBE COUNTS
	tries=0 good=
	while [ -z "$good" ] && [ $((tries += 1)) -le 5 ]; do
		run "$DTR" -s waits.d -c "./waits $1 $file 4"
		# shellcheck disable=SC2086
		set -- "$1" "$2" "$3" $out
		measured=$4 counts="$5 $6 $9 ${10}" took=$7 traced=$8
		set -- "$1" "$2" "$3"
		[ "$counts" != "$3" ] || [ "$((2 * took))" -lt "$measured" ] ||
			[ "$((10 * took))" -lt "$((9 * traced))" ] || good=1
	done
	is "$counts" "$3" "$2: each wait of the thread"
	between "$took" $((measured / 2)) "$measured" "$2: nearly all of the time that its calls took"
	between "$took" $((traced * 9 / 10)) $((traced * 11 / 10)) "$2: as long as the tracepoints say"
}
waits mutex adaptive-block '4 0 0 0'
waits write rw-block '0 4 4 4'

run "$DTR" -qn 'lockstat:::rw-block /pid == $target/ { @[func(caller)] = count(); }' -c "./waits write $file 3"
unlike "$(printf '%s\n' "$out" | grep '`')" '`(down_|rwsem_|__down)' 'caller is not a function of the lock'
run "$DTR" -ln 'lockstat:::'
is "$(printf '%s\n' "$out" | awk 'NR > 1 { print $NF }' | tr '\n' ' ')" \
	'adaptive-block adaptive-spin rw-block rw-spin spin-spin ' 'the probes'
for name in adaptive-acquire rw-release thread-spin; do
	run "$DTR" -en "lockstat:::$name"
	like "$status:$err" "^1:.*lockstat:::$name.*: (Linux|on Linux)" "$name is refused with a reason"
done

# Runs the tool until a line of its output meets a condition of awk: five tries, for the same reason.
rows() { # CONDITION OPTION ...
	wanted=$1 tries=0
	shift
	until run "$DTR" lockstat "$@" -c "./waits write $file 3" &&
		printf '%s\n' "$out" | awk "$wanted"' { found = 1 } END { exit !found }'; do
		[ $((tries += 1)) -lt 5 ] || break
	done
}
rows '$5 == "rw-block" && $1 >= 3' -e rw-block
like "$out" '^ +[0-9]+ +[0-9.]+% +[0-9]+ +[0-9]+ rw-block +[^ ]+ .*[a-z]' 'dtr lockstat prints rows'
is "$(printf '%s\n' "$out" | awk '$5 == "rw-block" { n += $1 } END { print (n >= 3) }')" 1 'with the counts'
is "$(printf '%s\n' "$out" | awk '$5 ~ /-(spin|block)$/ && $5 != "rw-block"')" '' '-e: only one event'
rows '/down_write/' -P -s 3 -e rw-block
like "$out" '`(rwsem_)?down_write' '-s: stacks'
for order in '' -P; do
	# shellcheck disable=SC2086
	rows '/rw-block/' -D 1 $order -d 1000000
	is "$(printf '%s\n' "$out" | awk '/%/ && $1 && $3 != "0.0%" && $2 != "0.0%" && $4 { n++ }
		END { print n, NR - 2 }')" \
		'1 1' "-D 1 $order: one row, with all of its columns"
done
run "$DTR" lockstat -d 100000000000 -c "./waits write $file 1"
is "$(printf '%s\n' "$out" | grep -c '%')" 0 '-d: only long waits'
run "$DTR" lockstat -e rw-block sh -c 'echo "$#:$1"' sh "a ' b"
like "$status:$out" "^0:.*1:a ' b" 'a command without -c'
run "$DTR" lockstat -p $$ true
like "$status:$err" "^2:dtr lockstat: unexpected argument 'true'" 'a process and a command'
done_testing
