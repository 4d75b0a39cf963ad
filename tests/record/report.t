#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr report: recordings with known contents, damaged ones, and recordings of a program that reports its own shares.
. "$SRC/tests/lib/tap.sh"
cd "$work" || exit 1
make_recording() { "$here/tests/fuzz/record_seed" "$1"; }

# ---- usage ----
for args in '' 'a b' '-F x' '-O'; do
	# shellcheck disable=SC2086
	run "$DTR" report $args
	is "$status:$out" 2: "usage error: report $args"
done
make_recording dtr >a.rec
for format in pprof folded lcov; do
	run "$DTR" report -O $format a.rec
	is "$status:$out:$err" '1::dtr: report prints text, json or html' "error: -O $format"
done

# ---- known contents ----
cat >want <<'END'
Recording  a.rec, made by dtr record
Host       unknown, 2 CPUs
Of         all
Began      1970-01-01 00:00:01 UTC
Duration   1.000 s
Rate       profile-1000, with stacks
Samples    12, 3 lost

   SAMPLES     SHARE   95 % INTERVAL        MODE
         5   41.67 %    15.18 ..  75.19 %   user
         6   50.00 %    19.82 ..  80.18 %   kernel
         0    0.00 %     0.00 ..  45.19 %   idle
         1    8.33 %     1.19 ..  51.95 %   unknown

   SAMPLES     SHARE   95 % INTERVAL        PROCESS
        12  100.00 %    54.81 .. 100.00 %   maker

   SAMPLES     SHARE   95 % INTERVAL        FUNCTION
         6   50.00 %    19.82 ..  80.18 %   vmlinux`start
         5   41.67 %    15.18 ..  75.19 %   true`main
         1    8.33 %     1.19 ..  51.95 %   [unknown]

Scripts can query it:
  dtr -r a.rec -n 'profile-1000 { @[execname] = count(); }'
  dtr -r a.rec -n 'profile-1000 { @[ustack()] = count(); }'
END
run "$DTR" report a.rec
is "$status:$out" "0:$(cat want)" 'a report as text'
run "$DTR" -r a.rec
is "$status:$out" "0:$(cat want)" '-r without a script prints the same'
run "$DTR" report -x ledger=off a.rec
is "$status:$out" "0:$(cat want)" 'losses are always known'
"$DTR" report - <a.rec >out 2>err
is "$?:$(sed 1d out)" "0:$(sed '1d; s/-r a.rec/-r -/' want)" 'a report of a pipe'
run "$DTR" report -O json a.rec
is "$status:$(printf '%s\n' "$out" | "$here/tests/lib/jsonlines" 2>&1)" 0: 'JSON lines are valid'
want='{"type":"report","schema":1,"recording":"a.rec","made_by":"dtr","cpus":2,"subject":"all","walltime":1000000000,'
want=$want'"duration":1000000000,"interval":1000000,"stacks":true,"samples":12,"busy":12,"lost":3}
{"type":"function","name":"[unknown]","count":1,"share":0.0833333,"low":0.0118669,"high":0.519504}'
is "$(printf '%s\n' "$out" | sed -n '1p; $p')" "$want" 'JSON'
run "$DTR" report -O html a.rec
like "$status:$out" '"name":"@stacks".*"samples":\{"removed":0,"lost":3,"idle":0\}' 'HTML: a flame graph with intervals'
make_recording perf >p.data
run "$DTR" report p.data
like "$status:$out" '^0:Recording  p.data, made by perf record$' 'perf.data'
like "$out" '^         8   80.00 %    35.52 ..  95.67 %   user$' 'perf.data: modes'

# ---- files that are damaged or no recordings ----
: >empty
echo text >text
for file in empty text; do
	run "$DTR" report $file
	is "$status:$out:$err" "1::dtr: $file: offset 0: not a recording of dtr or perf" "error: $file"
done
run "$DTR" report nowhere
is "$status:$out:$err" '1::dtr: nowhere: No such file or directory' 'error: no such file'
run "$DTR" report .
is "$status:$out:$err" '1::dtr: .: Is a directory' 'error: a folder'
run "$DTR" -x aggsave=agg -qn 'BEGIN { @ = count(); exit(0); }'
if [ -s agg ]; then
	run "$DTR" report agg
	is "$status:$out:$err" '1::dtr: agg: offset 0: not a recording of dtr or perf' 'error: saved aggregations'
fi
size=$(wc -c <a.rec)
bad=
for n in 1 7 15 16 30 100 $((size / 2)) $((size - 1)); do
	head -c $n a.rec >cut
	run "$DTR" report cut
	case "$status:$(printf '%s\n' "$err" | grep -c 'cut: offset')" in
	1:1) ;;
	*) bad="$bad $n:$status:$err" ;;
	esac
done
is "$bad" '' 'a truncated recording: one message with the offset'

# ---- a program with known shares ----
need_kernel
load=$here/tests/record/load
"$DTR" record -q -F 997 -o load.rec -c "$load 1000" >truth 2>err
run "$DTR" report -a load.rec
is "$status" 0 'a recording of a program with known shares'
# Each function's samples differ from those of its own clock by 5.5 standard deviations (once in 25 million runs), by
# the samples that were lost, and by 3 % for interrupts and code between the functions.
printf '%s\n' "$out" | awk 'NR == FNR { if ($1 ~ /work_/) { sub(/.*\./, "", $1); ms[$1] += $2; all += $2 } next }
	/^Samples/ { lost = $3 }
	$6 ~ /%/ { next }
	$8 ~ /^load`work_/ { sub(/.*`/, "", $8); n[$8] = $1; share[$8] = $2; low[$8] = $4; high[$8] = $6; sum += $1 }
	{ last = NF }
	END {
		for (f in ms) {
			p = ms[f] / all
			d = n[f] / sum - p
			most = 5.5 * sqrt(p * (1 - p) / sum) + lost / sum + 0.03
			print f, "samples", n[f], "of", sum, "true", p, "off", d, "at most", most
			if (!(n[f] > 0 && d <= most && -d <= most)) wrong = 1
			if (!(low[f] <= share[f] && share[f] <= high[f])) wrong = 1
			k++
		}
		exit wrong || k != 3
	}' truth - >bounds
ok $? 'its functions have their shares' "$(cat bounds)" "$out"
is "$(printf '%s\n' "$out" | sed -n 's/, [0-9]* CPUs*$//; s/^Host  *//p')" \
	"$(uname -n), Linux $(uname -r) $(uname -m)" 'the host'
like "$out" "^Of         the command '$load 1000'\$" 'the command'
like "$out" "^Began      $(date -u +%Y)-[0-9-]+ [0-9:]+ UTC\$" 'the date'
like "$out" '^ .* %   load-child$' 'the child is a process of its own'
is "$(printf '%s\n' "$out" | awk '/PROCESS/ { on = 1; next } /FUNCTION/ { on = 0 } on { n += $1 } END { print n }')" \
	"$(printf '%s\n' "$out" | awk '/^Samples/ { print $2 + 0 }')" 'the processes add up to all samples'
is "$(printf '%s\n' "$out" | awk '/FUNCTION/ { on = 1; next } NF == 0 { on = 0 } on { n += $1 } END { print n }')" \
	"$(printf '%s\n' "$out" | awk '/^Samples/ { print $2 + 0 }')" 'the functions, too'
done_testing
