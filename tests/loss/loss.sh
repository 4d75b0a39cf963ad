# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Conservation laws. A script counts what it produces, in aggregations without keys, which cannot lose anything. The
# output plus the drops that dtr reports must be exactly that, without any tolerance.
#
# Scripts and the functions here print rows of numbers:
#	R CPU			one record
#	made CPU N		N records were made (counted in the script)
# $LOSS_TIMES (1) multiplies the length of every run, for the study.
. "$SRC/tests/lib/tap.sh"
need_kernel
times=${LOSS_TIMES:-1}

# The CPUs that are online, one per line.
cpus=$(tr , '\n' </sys/devices/system/cpu/online | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
ncpus=$(printf '%s\n' "$cpus" | wc -l)

# An idle CPU is not sampled, so each gets work of low priority.
busy() {
	for cpu in $cpus; do
		spin_on "$cpu"
		renice -n 10 -p "$spin" >/dev/null
	done
}

# on_each_cpu TEXT: the text for each CPU, with CPU replaced by its number.
on_each_cpu() {
	for cpu in $cpus; do
		printf '%s\n' "$1" | sed "s/CPU/$cpu/g"
	done
}

# start ARGUMENTS...: starts dtr in the background and returns when its probes are armed; sets $pid.
start() {
	rm -f "$work/out" "$work/err"	# of the previous run
	DTR_OPT_FAULTS=all "$DTR" -x statusrate=20ms -qn 'BEGIN { printf("go\n"); }' "$@" >"$work/out" 2>"$work/err" \
		</dev/null &
	pid=$!
	children="$children $pid"
	wait_for go "$work/out"
	grep -q go "$work/out" || wait_for go "$work/out"
}

# pause N: N tenths of a second, in a study longer.
pause() {
	sleep "$(awk -v n="$1" -v times="$times" 'BEGIN { print n * times / 10 }')"
}

# finish [SIGNAL]: sends the signal and waits for dtr; sets $status, $err. Fails after two minutes.
finish() {
	[ -z "${1:-}" ] || kill "-$1" "$pid"
	tries=$((2400 + 200 * times))
	while kill -0 "$pid" 2>/dev/null && [ $tries -gt 0 ]; do
		sleep 0.05
		tries=$((tries - 1))
	done
	[ $tries -gt 0 ] || kill -9 "$pid"
	wait "$pid"
	status=$?
	err=$(grep -v '^[a-z]*: error on enabled' "$work/err" | tail -n 20)
}

# overflow SECONDS: stops the consumer for that time, repeatedly until drops are reported.
overflow() {
	tries=0
	until [ $tries -ge 50 ] || { [ $tries -ge "$times" ] && grep -q ' drops* on CPU' "$work/err"; }; do
		kill -STOP "$pid"
		sleep "$1"
		kill -CONT "$pid"
		sleep 0.15
		tries=$((tries + 1))
	done
}

# dropped KIND [CPU]: the drops that dtr reports ("drop", "aggregation drop", "dynamic variable drop", ...).
dropped() {
	sed -n "s/^[a-z]*: \([0-9]*\) ${1}s\{0,1\}\( .*\)\{0,1\}\$/\1\2/p" "$work/err" |
		awk -v cpu="${2:-}" '(cpu == "" || $NF == cpu) && !/ in / { n += $1 } END { print n + 0 }'
}

# column WORD FIELD: sum of a field over the rows of output that begin with a word.
column() {
	awk -v word="$1" -v field="$2" '$1 == word { n += $field } END { printf "%d\n", n }' "$work/out"
}

# records CPU: number of printed records. made CPU: number of records made.
records() { awk -v cpu="$1" '$1 == "R" && $2 == cpu { n++ } END { print n + 0 }' "$work/out"; }
made() { awk -v cpu="$1" '$1 == "made" && $2 == cpu { n += $3 } END { print n + 0 }' "$work/out"; }

# records_add_up NAME: on each CPU, made = printed + dropped.
records_add_up() {
	for cpu in $cpus; do
		printed=$(records "$cpu") lost=$(dropped drop "$cpu")
		is "$((printed + lost))" "$(made "$cpu")" "$1: made = printed + dropped on CPU $cpu ($printed + $lost)"
	done
}

# The number must not be 0, or a law would hold trivially.
some() { # NUMBER NAME
	[ "$1" -gt 0 ] 2>/dev/null
	ok $? "$2: $1"
}
