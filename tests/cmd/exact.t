# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr exact on this kernel: its shares compared with schedstat; its keys, targets, hook and output formats.
# tests/golden/exact.d tests the arithmetic.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_types

# These bounds hold on a busy machine, too: the times that the kernel counts within the period and around it.
run "$here/tests/kernel/exactly" "$DTR" 4 check
is "$status" 0 'shares lie between what schedstat counts within the period and around it'
printf '%s\n' "$out" | sed 's/^/# /'

# Rows of a period: share, %, the columns of -k, name.
rows() { printf '%s\n' "$out" | awk '$1 ~ /^[0-9]+\.[0-9][0-9]$/ && $2 == "%" && NF >= 3' ; }
# Each table must add up to 100 %, less what is truncated from each row. Prints the number of tables that do not.
unbalanced() {
	printf '%s\n' "$out" | awk -v cpus="$1" '
		function end() { if (n && (sum > 10000 * cpus || sum <= 10000 * cpus - n - 1)) bad++; tables += n > 0;
		sum = n = 0 }
		/ CPUs$/ { end() }
		$1 ~ /^[0-9]+\.[0-9][0-9]$/ && $2 == "%" && NF >= 3 { sum += int($1 * 100 + 0.5); n++ }
		END { end(); print bad + 0 "/" tables }'
}

ncpu=$(nproc)
spin_on $((ncpu - 1))
busy=$spin
# FILE N ROW: does the file contain at least N tables and a matching row?
shows() { [ "$(grep -Ec ' CPUs$|"type":"period"' "$1")" -ge "$2" ] && grep -Eq "$3" "$1"; }
# tables N ROW OPTION...: runs dtr exact until it has shown that; this may take long on a busy machine
tables() {
	many=$1 row=$2 shown=$work/out
	shift 2
	[ "$1" != -o ] || shown=$2
	rm -f "$work/file" "$work/out"	# left from the previous run
	timeout -s TERM 300 "$DTR" exact "$@" >"$work/out" 2>"$work/err" </dev/null &
	tables_pid=$!
	children="$children $tables_pid"
	wait_until shows "$shown" "$many" "$row"
	kill -TERM $tables_pid
	wait $tables_pid
	out=$(cat "$work/out")
	err=$(cat "$work/err")
}

tables 3 " $busy sh$" -i 400ms
like "$(unbalanced 1)" '^0/([3-9]|[1-9][0-9])' 'every period adds up to 100 %'
like "$out" "^ *[0-9]+\.[0-9]{2} % +$busy sh$" 'by process: the busy process has a row'
tables 1 " $busy sh$" -i 300ms -k tid
like "$(unbalanced 1)" '^0/[1-9]' 'by thread: every period adds up to 100 %'
like "$out" " % +$busy sh$" 'by thread: the main thread has the process ID'
tables 1 ' % sh$' -i 300ms -k execname
like "$(unbalanced 1)" '^0/[1-9]' 'by name: every period adds up to 100 %'
is "$(rows | awk 'NF > 3 && $3 ~ /^[-0-9]+$/' | wc -l)" 0 'by name: no IDs'
like "$out" '^ +SHARE NAME$' 'by name: no ID column'
tables 1 " $busy sh$" -i 300ms -k cpu
like "$(unbalanced "$ncpu")" '^0/[1-9]' 'by CPU: the rows add up to 100 % for each CPU'
like "$out" " $((ncpu - 1)) +$busy sh$" 'by CPU: the busy process has a row on its CPU'

tables 1 " $busy sh$" -i 300ms -p "$busy"
is "$(rows | awk -v p="$busy" '$3 != "-" && $3 != p' | wc -l)" 0 '-p: no rows of other processes'
like "$out" '\(the rest\)' '-p: a row for the rest'
like "$(unbalanced 1)" '^0/[1-9]' '-p: the rows add up to 100 %'
tables 1 " $busy sh$" -i 300ms -a -p "$busy"
like "$(rows | head -n 1)" "^ *100\.00 % +$busy sh$" '-a -p: shares of the time of the process'
tables 1 " $busy sh$" -i 300ms -a -k cpu
like "$(unbalanced 1)" '^0/[1-9]' '-a -k cpu: shares of the time in which no CPU was idle add up to 100 %'
unlike "$out" ' swapper' '-a -k cpu: no row for idle time'
like "$out" " $((ncpu - 1)) +$busy sh$" '-a -k cpu: the busy process has a row on its CPU'
tables 1 " $busy sh$" -i 300ms -a -k cpu -p "$busy"
like "$(rows | head -n 1)" "^ *100\.00 % +$((ncpu - 1)) +$busy sh$" '-a -k cpu -p: shares of the time of the process'
run "$DTR" exact -k pod
is "$status" 2 'an unknown key is refused'

# A process that starts others and ends within a period.
run "$DTR" exact -i 1h -c "sh -c 'true; $here/tests/kernel/busy split 50 0; true'"
is "$status" 0 '-c: ends with the command'
like "$out" ' % +[0-9]+ busy$' '-c: the incomplete period is shown, with descendants'
is "$(printf '%s\n' "$out" | grep -c ' CPUs$')" 1 '-c: one table'

# If dtr stops right after a table, the sums for the next one are not printed.
echo 'profile:::sweep-$1 /!arg0 && arg1 && ++n == 3/ { exit(0); }' >"$work/exit.d"
run "$DTR" exact -i 100ms --hook "$work/exit.d"
is "$status:$(printf '%s\n' "$out" |
	grep -Evc \
	'^([0-9]{4} [A-Z][a-z]{2} .* ms, [0-9]+ CPUs| +SHARE +ID NAME| *[0-9]+\.[0-9]{2} % +([0-9]+|-) .*)$')" 0:0 \
	'nothing follows the last table'

cat >"$work/hook.d" <<'END'
profile:::sweep-$1 /!arg0 && arg1/ { n++; printf("updated %d\n", n); }
END
tables 2 "^updated 2$" -i 200ms --hook "$work/hook.d"
like "$out" '^updated 2$' 'the hook runs after each update'
is "$(printf '%s\n' "$out" | grep -c '^updated')" "$(printf '%s\n' "$out" | grep -c ' CPUs$')" \
	'the hook also runs when the first period begins'

period="\"type\":\"period\",\"time\":[0-9]+,\"walltime\":[0-9]+,\"ns\":[0-9]+,\"cpus\":$ncpu,\"total\":[0-9]+"
share='"type":"share","share":[0-9]+\.[0-9]{6},"ns":[0-9]+'
tables 2 "$share,\"cpu\":null,\"id\":$busy,\"name\":\"sh\"}$" -i 300ms --json
printf '%s\n' "$out" | "$here/tests/lib/jsonlines" >"$work/why"
is "$? $(cat "$work/why")" '0 ' '--json: JSON lines'
is "$(printf '%s\n' "$out" |
	grep -Evc "^\\{($period|$share,\"cpu\":null,\"id\":([0-9]+|null),\"name\":\".*\")\\}\$")" 0 \
	'--json: periods and shares, nothing else'
# share is ns as a percentage of the time of all CPUs, with six decimals
is "$(printf '%s\n' "$out" | tr -d '{}"' | awk -F'[:,]' '$2 == "period" { if (sum > all) bad++; sum = 0; all = $12;
	n++ }
	$2 == "share" { t = $6 * 100 / all; r = t - $4; e = t * 100 / all + 0.000002; if (r > e || r < -e) bad++;
	sum += $6 } END { print bad + 0, (n > 1) }')" '0 1' \
	'--json: the shares match the times'
tables 1 "$share,\"cpu\":$((ncpu - 1)),\"id\":$busy,\"name\":\"sh\"}$" -i 300ms --json -k cpu
unlike "$out" '"cpu":null' '--json -k cpu: each share has a CPU'
tables 1 "$share,\"cpu\":null,\"id\":null,\"name\":\"sh\"}$" -i 300ms --json -k execname
unlike "$out" '"id":[0-9]' '--json -k execname: no share has an ID'
tables 1 " $busy sh$" -o "$work/file" -i 300ms
like "$(cat "$work/file")" " $busy sh$" '-o'

# sweep: one CPU after the other; the last one has arg0 == 0, and each round starts when the previous one announced it.
run "$DTR" -qn 'profile:::sweep-50ms { printf("%d %d %d %d\n", cpu, arg0, arg1, arg2); }
	profile:::sweep-50ms /arg1 && !arg0 && ++rounds == 6/ { exit(0); }'
is "$(printf '%s\n' "$out" | awk -v n="$ncpu" '$3 { if ($2 != n - 1 - i % n) bad++; i++ } END { print bad + i % n }')" \
	0 \
	'sweep: all CPUs in each round, counted down'
is "$(printf '%s\n' "$out" | awk '!$3 { due = $4; n++; next } $3 != due { bad++ } END { print bad + 0, (n > 1) }')" \
	'0 1' \
	'sweep: each round is due at the announced time'
is "$(printf '%s\n' "$out" | awk '$3 { print $1 }' | sort -un | wc -l)" "$ncpu" 'sweep: fires on every CPU'
done_testing
