#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The tools that have the names of others' tools: what each counts for commands whose events are known.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1

# column N: column N of the rows of $out that match the expression
column() { printf '%s\n' "$out" | awk -v n="$1" -v e="$2" '$0 ~ e { print $n }'; }

cat >job <<'E2'
sleep 30 &
p=$!
until read -r name <"/proc/$p/comm" && [ "$name" = sleep ]; do :; done
sleep 0
kill -USR1 4194304
kill -USR1 4194304
kill -TERM $p
wait $p
[ -e nosuch ]
[ -e nosuch ]
[ -e job ]
env true
E2
# ---- execsnoop ----
run "$DTR" execsnoop -c 'sh ./job'
is "$(column 4 ' (env|true|sleep)')" "$(printf 'sleep\nsleep\nenv\ntrue')" 'execsnoop: four programs'
is "$(column 1 ' (env|true|sleep)' | sort -u)" "$(id -u)" 'execsnoop: the user'
run "$DTR" execsnoop -a -f true -c 'sh ./job'
like "$out" "^$(date +%Y) .* true +$work true\$" 'execsnoop -a -f: date, name, directory'
is "$(printf '%s\n' "$out" | wc -l)" 2 'execsnoop -f: one program'

# ---- killsnoop ----
run "$DTR" killsnoop -c 'sh ./job'
is "$(column 4 ' kill$' | tr '\n' ' '):$(column 6 ' kill$' | tr '\n' ' ')" '10 10 15 :3 3 0 ' \
	'killsnoop: signals and errors'
is "$(column 5 ' 10 ')" "$(printf '4194304\n4194304')" 'killsnoop: the target'
run "$DTR" killsnoop --failed -c 'sh ./job'
is "$(column 4 ' kill$' | tr '\n' ' ')" '10 10 ' 'killsnoop --failed'
for s in 15 TERM sigterm; do
	run "$DTR" killsnoop -s "$s" -c 'sh ./job'
	is "$(column 4 ' kill$' | tr '\n' ' ')" '15 ' "killsnoop -s $s"
done

# ---- 10,000 lines wait while dtr is stopped ----
cat >burst.pl <<'E2'
my $go = 0;
$SIG{USR1} = sub { $go = 1 };
select undef, undef, undef, 0.01 until $go;
stat "nosuch" for 1 .. 10000;
open my $f, ">", "made";
select undef, undef, undef, 0.01 until -e "resumed";
E2
if command -v perl >/dev/null; then
	perl burst.pl &
	target=$!
	"$DTR" statsnoop -p $target >lines 2>messages &
	tracer=$!
	children="$children $target $tracer"
	wait_for PATH lines
	kill -STOP $tracer
	kill -USR1 $target
	wait_until [ -e made ]
	kill -CONT $tracer
	: >resumed
	wait $tracer
	is "$(grep -c ' nosuch$' lines):$(grep drops messages)" 10000: \
		'statsnoop: the lines of a burst fit into the buffers'
else
	skip 'statsnoop: a burst' 'no perl'
fi

# ---- statsnoop, errinfo ----
run "$DTR" statsnoop -c 'sh ./job'
is "$(column 4 ' nosuch$' | tr '\n' ' '):$(column 4 ' job$' | tr '\n' ' ')" '2 2 :0 ' 'statsnoop: paths and errors'
run "$DTR" statsnoop --failed -c 'sh ./job'
is "$(column 4 ' nosuch$' | tr '\n' ' '):$(column 4 ' job$')" '2 2 :' 'statsnoop --failed'
run "$DTR" statsnoop -c 'cat ./job'
like "$out" " 0 newfstatat +$work/job\$" 'statsnoop: the path of a descriptor'
run "$DTR" errinfo -c 'sh ./job'
is "$(column 4 ' kill ' | tr '\n' ' ')" 'ESRCH ESRCH ' 'errinfo: a line for each failure'
run "$DTR" errinfo --count -n sh -c 'sh ./job'
is "$(column 5 ' kill +3 ESRCH ')" 2 'errinfo --count'
unlike "$out" '^env' 'errinfo -n'

# ---- filetop ----
run "$DTR" filetop -c "sh -c 'dd if=/dev/zero of=zeros bs=1000 count=321; dd if=zeros of=/dev/null bs=500'"
is "$(column 1 " W $work/zeros")" 321000 'filetop: writes'
is "$(column 1 " R $work/zeros")" 321000 'filetop: reads'
unlike "$out" /dev/zero 'filetop: no devices'
run "$DTR" filetop -a -r 1 -c "sh -c 'dd if=/dev/zero of=/dev/null bs=1000000 count=3'"
is "$(printf '%s\n' "$out" | awk 'NR > 1 { print $1, $5 }' | sed 's,/dev/zero,/dev/null,')" '3000000 /dev/null' \
	'filetop -a -r'

# ---- cachestat ----
run "$DTR" cachestat -i 1h -c "sh -c 'cat zeros >/dev/null'"
if printf '%s\n' "$err" | grep -q 'mm_filemap_get_pages.*does not match'; then
	ok 0 'cachestat # SKIP this kernel has no tracepoint for reads'
elif [ "$(stat -f -c %T . 2>/dev/null)" = tmpfs ]; then
	ok 0 'cachestat # SKIP the files are in memory'
else
	once=$(printf '%s\n' "$out" | awk 'END { print $5 }')
	run "$DTR" cachestat -i 1h -c "sh -c 'cat zeros zeros >/dev/null'"
	is "$(($(printf '%s\n' "$out" | awk 'END { print $5 }') - once))" 79 \
		'cachestat: the pages of a file of 321000 bytes'
	is "$(printf '%s\n' "$out" | awk 'END { print $6 }')" 0 'cachestat: the cache had all of them'
	sync zeros
	run "$DTR" cachestat -i 1h -c "sh -c 'dd if=zeros iflag=nocache count=0; cat zeros >/dev/null'"
	added=$(printf '%s\n' "$out" | awk 'END { print $6 }')
	[ "$added" -ne 0 ] || added=79	# a file system in memory keeps its pages
	between "$added" 79 200 'cachestat: pages that were added'
fi

# ---- vfscount ----
run "$DTR" vfscount -c 'dd if=/dev/zero of=/dev/null bs=1 count=1000'
if [ "$status" = 0 ]; then
	between "$(column 2 '^vfs_read ')" 1000 1100 'vfscount: reads'
	between "$(column 2 '^vfs_write ')" 1000 1100 'vfscount: writes'
else
	like "$err" 'kprobes|fentry' 'vfscount reports why functions of the kernel cannot be traced'
fi

# ---- samples: seconds of CPU time as the shell reports them, 1001 samples a second ----
# ticks TIMES: the user and system seconds of children, in the output of times
seconds() { printf '%s\n' "$out" | awk -v n="$1" '/m.*s .*m.*s$/ { split($n, t, /[ms]/); s = t[1] * 60 + t[2] }
	END { print int(s * 1001) }'; }
sum() { printf '%s\n' "$out" | awk -v n="$1" '$n ~ /^[0-9]+$/ { s += $n } END { print s + 0 }'; }
run "$DTR" hotkernel -c "sh -c 'dd if=/dev/zero of=/dev/null bs=4M count=2000; times'"
between "$(sum 2)" "$(($(seconds 2) / 2))" "$(($(seconds 2) * 2 + 100))" 'hotkernel: samples of system time'
run "$DTR" hotkernel -m -c "sh -c 'dd if=/dev/zero of=/dev/null bs=4M count=2000; times'"
like "$out" '^(vmlinux|kernel) +[0-9]+ +[0-9.]+%$' 'hotkernel -m'
is "$(printf '%s\n' "$out" | awk '$3 ~ /%$/ { n += $2; at[NR] = $2; has[NR] = $3 + 0 }
	END { for (i in at) if (at[i] * 100 / n - has[i] >= 0.11 || has[i] * n > at[i] * 100) print "row", i }')" '' \
	'hotkernel: the share of all samples'
run "$DTR" hotuser -l -c "sh -c 'i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done; times'"
like "$out" "^($(basename "$(readlink -f /bin/sh)")|sh) +[1-9][0-9]+ +[0-9.]+% +[0-9]+\$" 'hotuser -l: the shell'
run "$DTR" hotuser -c "sh -c 'i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done'"
between "$(sum 2)" 20 100000 'hotuser: functions'
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
run "$DTR" cpuwalk -c "taskset -c $first sh -c 'i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done'"
is "$(printf '%s\n' "$out" | awk '$2 == "sh" { print $3 }')" "$first" 'cpuwalk: a process that is bound to a CPU'

# ---- softirqs, cswstat ----
interrupts() { awk 'NR > 1 { sub(":", "", $1); for (i = 2; i <= NF; i++) s += $i } END { print s }' /proc/softirqs; }
before=$(interrupts)
run "$DTR" softirqs -d -c 'sleep 0.2'
between "$(sum 2)" 1 "$(($(interrupts) - before))" 'softirqs: not more than /proc/softirqs'
like "$out" 'Distribution' 'softirqs -d'
if ! command -v perl >/dev/null; then
	ok 0 'cswstat # SKIP there is no perl'
	done_testing
	exit
fi
cat >"$work/switches.pl" <<'END'
sub count { open(F, "/proc/self/status"); print grep { /ctxt_switches/ } <F>; }
count(); select(undef, undef, undef, 0.002) for 1 .. 50; count();
END
run "$DTR" cswstat -i 1h -c "perl $work/switches.pl"
switches() { printf '%s\n' "$out" | awk -v first="$1" '/ctxt_switches/ && ++i > first { n += $2 } END { print n }'; }
want=$(switches 2)						# before tracing began, too
traced=$((2 * want - $(switches 0)))				# between the two counts
between "$(printf '%s\n' "$out" | awk 'END { print $5 }')" "$traced" "$((want + 30))" \
	'cswstat: switches of a process'
between "$(printf '%s\n' "$out" | awk 'END { print $6 }')" 50 "$((want + 30))" 'cswstat: of these, sleeps'
done_testing
