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
# Sets what the program has measured and what the script has counted.
results() { measured=$1 calm=$2 unclear=$3 adaptive=$4 rw=$5 took=$6 traced=$7 held=$8 writers=$9; }
waits() { # KIND PROBE
	run "$DTR" -s waits.d -c "./waits $1 $file 4"
	# shellcheck disable=SC2086
	results $out
	[ "$2" = rw-block ] && n=$rw other=$adaptive || n=$adaptive other=$rw
	between "$n" 4 $((4 + unclear)) "$2: each wait of the thread"
	is "$other" 0 "$2: no wait for another kind of lock"
	[ "$2" = rw-block ] && want="$n $n" || want='0 0'
	is "$held $writers" "$want" "$2: who held the lock"
	between "$took" $((calm / 2)) "$measured" "$2: nearly all of the time that its calls took"
	between "$took" $((traced * 9 / 10)) $((traced * 11 / 10)) "$2: as long as the tracepoints say"
}
waits mutex adaptive-block
waits write rw-block

run "$DTR" -qn 'lockstat:::rw-block /pid == $target/ { @[func(caller)] = count(); }' -c "./waits write $file 3"
unlike "$(printf '%s\n' "$out" | grep '`')" '`(down_|rwsem_|__down)' 'caller is not a function of the lock'
run "$DTR" -ln 'lockstat:::'
is "$(printf '%s\n' "$out" | awk 'NR > 1 { print $NF }' | tr '\n' ' ')" \
	'adaptive-block adaptive-spin rw-block rw-spin spin-spin ' 'the probes'
for name in adaptive-acquire rw-release thread-spin; do
	run "$DTR" -en "lockstat:::$name"
	like "$status:$err" "^1:.*lockstat:::$name.*: (Linux|on Linux)" "$name is refused with a reason"
done

rows() { run "$DTR" lockstat "$@" -c "./waits write $file 3"; } # OPTION ...
rows -e rw-block
like "$out" '^ +[0-9]+ +[0-9.]+% +[0-9]+ +[0-9]+ rw-block +[^ ]+ .*[a-z]' 'dtr lockstat prints rows'
is "$(printf '%s\n' "$out" | awk '$5 == "rw-block" { n += $1 } END { print (n >= 3) }')" 1 'with the counts'
is "$(printf '%s\n' "$out" | awk '$5 ~ /-(spin|block)$/ && $5 != "rw-block"')" '' '-e: only one event'
rows -P -s 3 -e rw-block
like "$out" '`(rwsem_)?down_write' '-s: stacks'
for order in '' -P; do
	# shellcheck disable=SC2086
	rows -D 1 $order -d 1000000
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
