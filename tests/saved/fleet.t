#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Many hosts: dtr merge --by-host, names of hosts in files, files saved while tracing and their earlier versions.
. "$SRC/tests/lib/tap.sh"
fleet="$here/tests/saved/fleet"

# ---- sums of known files ----
# More files than are added up at once on three levels, and rows that overlap completely or not at all.
mkdir "$work/hosts"
"$fleet" make "$work/hosts" 700 30
cd "$work/hosts" || exit 1
run "$DTR" merge -q -o ../sum $(seq 0 699)
is "$status:$err" 0: '700 files are added up'
run "$fleet" check ../sum 700 30 sum
is "$status:$out" 0: 'each row is the sum over the hosts'
run "$DTR" merge -q --by-host -o ../by $(seq 0 699)
is "$status:$err" 0: '--by-host'
run "$fleet" check ../by 700 30 hosts
is "$status:$out" 0: 'each host has its rows'
run "$DTR" merge -q --by-host -o ../yb $(seq 699 -1 0)
ok "$(cmp -s ../by ../yb; echo $?)" 'the same bytes in another order'
run "$DTR" merge -q --by-host -o ../a $(seq 0 299)
run "$DTR" merge -q --by-host -o ../b $(seq 300 699)
run "$DTR" merge -q -o ../ab ../b ../a
ok "$(cmp -s ../by ../ab; echo $?)" 'results by host can be added'
# A pipe can be read only once, so all rows are in memory.
mkfifo ../pipe
cat 3 >../pipe &
children="$children $!"
run "$DTR" merge -q --by-host -o ../piped 5 ../pipe 4 3
run "$DTR" merge -q --by-host -o ../read 3 4 5 3
ok "$(cmp -s ../piped ../read; echo $?)" 'the same bytes as with all rows in memory'
run "$DTR" merge --by-host 5 4
is "$(printf '%s\n' "$out" | awk 'NF { print $1 }' | uniq | tr '\n' ' ')" 'host-4.example host-5.example ' \
	'host by host, in the order of names'
run "$DTR" merge --by-host 4 5 missing
is "$status" 1 'a missing file'
run "$DTR" merge --by-host 3
like "$out" '^  host-3\.example +key 29 +-71 +[0-9]+$' 'the host is the first key'
run "$DTR" merge --by-host -O json 3
like "$out" '"keys":\["host-3\.example","key 29",-71\]' 'also in JSON'
run "$DTR" merge -q -o ../same 5 5
run "$DTR" merge -q --by-host -o ../same.by ../same
is "$status" 0 'the sum of two files of one host has its name'
run "$DTR" merge --by-host ../sum
is "$status" 1 'by host of a sum'
like "$err" '^dtr: \.\./sum has no name of a host: an earlier dtr has saved it, or it is the sum of several hosts$' \
	'the sum of several has none'
run "$DTR" merge --by-host "$SRC/tests/saved/version-1.agg"
is "$status" 1 'neither has a file of an earlier version'
run "$DTR" merge ../by 3
is "$status" 1 'with and without hosts do not match'
like "$err" 'cannot be combined: @n has 3 keys in one and 2 in the other' 'with the difference'
run "$DTR" merge --by-host -Yq 3
like "$status:$err" '^2:dtr merge: unknown option -Y ' 'a letter that merge does not have'
run "$DTR" diff --by-host 3 4
is "$status" 2 'only merge has --by-host'
head -c 120 3 | sed 's/host-3/host-X/' >../damaged
run "$DTR" merge ../damaged
is "$status" 1 'a damaged name is refused'

need_kernel
cd "$work" || exit 1
run "$DTR" -x aggsave=one -qn 'BEGIN { @[7] = count(); exit(0); }'
run "$DTR" merge --by-host one
like "$out" "^  $(hostname | cut -c1-20)" 'a run saves the name of its host'
# Several aggregations, with stacks, empty ones, and symbols.
for i in 1 2; do
	run "$DTR" -x aggsave=many$i -qn 'profile-997 { @s[execname, stack()] = count(); @u[ustack(5), cpu] = sum(3);
		@q[pid] = quantize(arg0); @b[func(arg0)] = avg(3); } END { @e = max(1); @n[1] = count(); clear(@n); }
		tick-100ms { exit(0); }'
	is "$status" 0 "run $i"
done
cat many1 >"$work/pipe" &
children="$children $!"
run "$DTR" merge -q --by-host -o many.piped "$work/pipe" many2
run "$DTR" merge --by-host -o many.read many2 many1
shown=$(printf '%s\n' "$out" | sort)
ok "$(cmp -s many.piped many.read; echo $?)" 'stacks have the same numbers' "$err"
run "$DTR" merge many.read
is "$shown" "$(printf '%s\n' "$out" | sort)" 'the lines of one host are those of its file'

# ---- while tracing ----
# The script ends when it sees that a file has been saved; each file is whole.
n=0
"$DTR" -x aggsave=live -x aggsaverate=50ms -x aggsavekeep=3 -qn 'tick-10ms { @n = count(); @s = sum(2); }
	END { printf("end\n"); }' >out 2>err &
tracer=$!
children="$children $tracer"
wait_until test -e live.3
first=$("$DTR" merge live.3 | awk 'NF { print $1 }' | tr '\n' ' ')
while [ $n -lt 40 ]; do
	"$DTR" merge live >now 2>&1 || break
	awk 'NF { v[++n] = $1 } END { exit !(n == 2 && v[2] == 2 * v[1]) }' now || break
	n=$((n + 1))
done
is "$n" 40 'each version that is read is whole' "$(cat now)"
kill -INT "$tracer"
wait "$tracer"
is "$?:$(cat err)" 0: 'the session ends normally'
like "$(cat out)" '^end$' 'with its output'
last=$("$DTR" merge live | awk 'NF { print $1 }' | tr '\n' ' ')
ok "$([ "${last%% *}" -gt "${first%% *}" ]; echo $?)" 'the last file has the sum at the end' "$first, $last"
is "$(ls live* | tr '\n' ' ')" 'live live.1 live.2 live.3 ' 'three earlier versions are kept, nothing else'
older=$("$DTR" merge live.2 | awk 'NF { print $1; exit }') newer=$("$DTR" merge live.1 | awk 'NF { print $1; exit }')
ok "$([ "$older" -le "$newer" ] && [ "$newer" -le "${last%% *}" ]; echo $?)" 'the first is the newest' "$older $newer"

# What is cleared and printed is as without the option.
run "$DTR" -x aggsave=clear -x aggsaverate=20ms -qn 'tick-5ms { @n = count(); i++; }
	tick-100ms { printa("%@d\n", @n); clear(@n); } tick-5ms /i >= 200/ { exit(0); } END { printa("%@d\n", @n); }'
is "$(printf '%s\n' "$out" | awk '{ n += $1 } END { print n }')" 200 \
	'nothing is lost between printa() and clear()' "$out"

# ---- a file that cannot be written ----
# A file system of one page; the first file fits into it, later ones do not.
if unshare -m true 2>/dev/null; then
	cat >full.sh <<-'END'
	mkdir disk && mount -t tmpfs -o size=8k none disk || exit 77
	"$DTR" -x aggsave=disk/file -x aggsaverate=20ms -qn 'tick-1ms { @[i++] = count(); }
		tick-1ms /i >= 3000/ { exit(3); } END { printf("end\n"); }'
	echo "status $?"
	"$DTR" merge disk/file >/dev/null && echo whole
	ls -A disk
	END
	run unshare -m sh full.sh
	is "$(printf '%s\n' "$err" | grep -c 'tracing continues')" 1 'a full disk is reported once' "$err"
	like "$out" '^end$' 'tracing goes on'
	like "$out" '^status 1$' 'the last file is missing: status 1'
	like "$out" '^whole$' 'the file of before is whole'
	is "$(printf '%s\n' "$out" | tail -n 1)" file 'nothing else is left'
else
	skip 'a full disk' 'no mount name space'
fi

# ---- refused ----
refused() { # MESSAGE OPTION...
	message=$1
	shift
	run "$DTR" "$@" -qn 'BEGIN { @ = count(); exit(0); }'
	is "$status:$err" "1:dtr: $message" "refused: $*"
}
refused '-x aggsaverate needs -x aggsave=FILE' -x aggsaverate=1s
refused '-x aggsaverate: at least 10ms between two files' -x aggsave=f -x aggsaverate=9ms
refused '-x aggsavekeep needs -x aggsave=FILE' -x aggsavekeep=2
refused '-x aggadd adds to the file at the end: it cannot be used with -x aggsaverate' -x aggsave=f -x aggadd \
	-x aggsaverate=1s
done_testing
