# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Properties that hold on any number of CPUs at any speed: profile fires on every CPU, tick once per interval, no record
# is lost, and the counts by CPU add up to the total.
. "$SRC/tests/lib/tap.sh"
need_kernel
ncpu=$(nproc)

# Runs until every CPU has fired: a virtual CPU may stop for a long time.
each=$(awk '$1 == "processor" { printf "%sfired[%d]", sep, $3; sep = " && " }' /proc/cpuinfo)
run "$DTR" -qn 'int fired[int]; profile-97 { @c[cpu] = count(); @all = count(); @where = lquantize(cpu, 0, 64);
	fired[cpu] = 1; }
	tick-200ms /'"$each"'/ { exit(0); } END { printa("cpu %d %@d\n", @c); printa("all %@d\n", @all); }'
is "$status" 0 "profile on $ncpu CPUs"
is "$(printf '%s\n' "$out" | grep -c '^cpu ')" "$ncpu" 'every CPU fires'
is "$(printf '%s\n' "$out" | awk '$1 == "cpu" { s += $3 } END { print s }')" \
	"$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')" 'the counts by CPU add up to the total'

run "$DTR" -qn 'profile-97 { printf("r %d\n", cpu); @c[cpu] = count(); } tick-3s { exit(0); }
	END { printa("cpu %d %@d\n", @c); }'
printf '%s\n' "$out" | awk '$1 == "r" { n[$2]++ } $1 == "cpu" { if (n[$2] != $3) bad = 1; seen++ }
	END { exit bad || seen < 1 }' && same=0 || same=1
unlike "$status:$err" 'drop' 'no drops'
ok $same 'every record of every CPU is printed' "$(printf '%s\n' "$out" | grep '^cpu ')"

run "$DTR" -qn 'BEGIN { begun = timestamp; } tick-50ms { @n = count(); n++; } tick-50ms /n >= 20/ {
	most = (timestamp - begun) / 50000000 + 1; exit(0); }
	END { printa("%@d\n", @n); printf("%d\n", most); }'
between "$(echo $out | cut -d' ' -f1)" 20 "$(echo $out | cut -d' ' -f2)" \
	'tick fires once per interval, not once per CPU'

run "$DTR" -qn 'BEGIN { n = 0; } profile-199 { @a[cpu, pid] = count(); @b = count(); } tick-200ms { clear(@a); n++; }
	tick-200ms /n == 10/ { exit(0); } END { printa("b %@d\n", @b); }'
like "$out" '^b [1-9]' 'aggregations are cleared while every CPU fires'

# ---- memory: what docs/options.md says for each CPU ----
# held SCRIPT: runs it until it prints a line; prints the bytes of its ring buffers and the KB of all its maps.
held() {
	rm -f "$work/pipe"
	mkfifo "$work/pipe"
	exec 3<>"$work/pipe"		# a pipe without a reader would end dtr
	"$DTR" -qn "BEGIN { printf(\"ready\\n\"); } $1" >"$work/pipe" 2>"$work/err" &
	tracer=$!
	read -r _ <&3
	cat /proc/$tracer/fdinfo/* 2>/dev/null | awk '/^map_type:/ { t = $2 } /^memlock:/ { b = $2 }
		/^max_entries:/ { e = $2 }
		/^map_id:/ && !($2 in seen) { seen[$2]; kb += b / 1024; if (t == 27) ring += e }
		END { printf "%d %d\n", ring, kb }' >"$work/held"
	kill -INT $tracer
	wait $tracer
	exec 3<&-
}
possible=$(awk -F- '{ print $NF + 1 }' /sys/devices/system/cpu/possible)
held 'syscall::getppid:entry { printf("%d\n", pid); }'
read -r rings kb <"$work/held"
between "$rings" $((possible * 262144)) $((possible * 262144 + 65536)) \
	"256 KB of record buffers for each of $possible CPUs"
# Before 6.4 the kernel shows what maps may take, not what they do.
if [ "$(uname -r | awk -F. '{ print $1 * 100 + $2 }')" -ge 604 ]; then
	between "$kb" $((possible * 256)) $((possible * 288 + 256)) 'and little else'
	held 'syscall:::entry { @[pid, execname] = count(); }'
	read -r rings kb <"$work/held"
	most() { [ $((possible * $1)) -gt "$2" ] && echo "$2" || echo $((possible * $1)); }
	between "$kb" 1 $(($(most 1024 16384) + $(most 256 4096) + possible * 288 + 512)) \
		'the tables of an aggregation with keys'
else
	skip 'the memory of maps' 'the kernel does not show it'
fi
done_testing
