# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -O openmetrics on this kernel: counts of a program that knows them; limits; messages.
. "$SRC/tests/lib/tap.sh"
known_calls

value() { printf '%s\n' "$out" | sed -n "s/^$1 //p"; } # SERIES, a regular expression

run "$DTR" -x engine=user -O openmetrics -n \
	'BEGIN { @n["x\"y\\z"] = count(); @lat[pid] = quantize(5); @lat[pid] = quantize(0); @stacks[ustack()] = count();
	@m = max(-3); exit(0); }'
like "$out" '^dtr_n_total\{key0="x\\"y\\\\z"\} 1$' 'a counter with an escaped label'
is "$status:$(value dtr_m)" 0:-3 'a gauge'
is "$(value 'dtr_lat_bucket{pid="[0-9]*",le="0.0"}') $(value 'dtr_lat_bucket{pid="[0-9]*",le="7.0"}') $(
	value 'dtr_lat_bucket{pid="[0-9]*",le="+Inf"}')" '1 2 2' 'a histogram: cumulative, the key has its name'
is "$(printf '%s\n' "$out" | tail -n 1)" '# EOF' 'the end is marked'
like "$err" 'dtr: @stacks is not in the metrics: its keys have stacks \(-O pprof shows them\)' 'stacks are reported'
is "$(value dtr_omitted_aggregations)" 1 'and counted'

run "$DTR" -x engine=user -O openmetrics -x maxseries=2 -n \
	'BEGIN { @n[1] = sum(1); @n[2] = sum(5); @n[3] = sum(3); exit(0); }'
is "$status:$(value dtr_dropped_series):$(printf '%s\n' "$out" | grep '^dtr_n_total' | tr '\n' ' ')" \
	'0:1:dtr_n_total{key0="2"} 5 dtr_n_total{key0="3"} 3 ' 'the largest rows are kept'
like "$err" 'dtr: 1 series are not in the metrics: the maximum is 2 \(-x maxseries\)' 'what is dropped is reported'
if any_of script; then
	printf '%s\n' 'BEGIN { @n["a\033[31mb"] = count(); exit(0); }' >"$work/colour.d"
	run script -qec "'$DTR' -x engine=user -O openmetrics -s '$work/colour.d'" /dev/null
	like "$out" 'key0="a\\033\[31mb"' 'a terminal gets no control characters'
else
	skip 'on a terminal' 'no script'
fi
run "$DTR" -O openmetrics -x maxseries=0 -n BEGIN
is "$status" 2 'maxseries=0 is refused'

if with_bpf 'system calls' && "$here/tests/kernel/can_bpf" >/dev/null; then
	run "$DTR" -x quiet -O openmetrics -o "$work/prom" -n \
		'syscall::getppid:entry /pid == $target/ { @calls[execname, probefunc] = count(); }' \
		-c "$here/tests/kernel/known"
	same "$(sed -n 's/^dtr_calls_total{execname="known",probefunc="getppid"} //p' "$work/prom")" \
		"$(printf '%s\n' "$out" | sed -n 's/^getppid //p')" 'counts are those of the program'
fi
done_testing
