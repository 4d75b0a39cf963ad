# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2086 # $bpftrace and the workloads are several words
# Part of bench/run: tools beside bpftrace's tools of the same names. All take turns; values are medians of rounds.

# timed COMMAND...: how long it takes, in ns.
timed() {
	t=$(date +%s%N)
	"$@" >/dev/null 2>&1
	echo $(($(date +%s%N) - t))
}

# traced LIST TRACER...: $work while the tracer runs. Appends to the list: ns of the work, and the tracer's lines. Fails
# if the tracer ends by itself or does without a probe.
traced() {
	list=$1
	shift
	"$@" >"$tmp/traced" 2>"$tmp/traced.err" &
	tracer=$!
	sleep 3		# until it is armed
	kill -0 $tracer 2>/dev/null || return 1
	took=$(timed $work)
	kill -INT $tracer
	wait $tracer || true
	! grep -q 'could not attach' "$tmp/traced" "$tmp/traced.err" || return 1
	echo "$took $(wc -l <"$tmp/traced")" >>"$list"
}

# tool NAME EVENTS WORK [SCRIPT]: one row for each tracer; SCRIPT: of bpftrace, if not its own.
tool() {
	name=$1 events=$2 work=$3 script=${4-/usr/sbin/$1.bt}
	rm -f "$tmp"/tool.*
	for i in $(seq "${RUNS:-5}"); do
		timed $work >>"$tmp/tool.none"
		traced "$tmp/tool.dtr" "$build/dtr" "$name"
		[ "$bpftrace" ] && [ ! -f "$tmp/tool.fails" ] || continue
		traced "$tmp/tool.bpftrace" $bpftrace "$script" || {
			echo "bpftrace's $name does not work here: $(grep -h -m1 'could not attach' "$tmp"/traced*)"
			touch "$tmp/tool.fails"
		}
	done
	none=$(column "$tmp/tool.none" 1)
	for tracer in dtr bpftrace; do
		[ -s "$tmp/tool.$tracer" ] || continue
		echo "$name $tracer $(column "$tmp/tool.$tracer" 1) $(column "$tmp/tool.$tracer" 2)" |
			awk -v none="$none" -v n="$events" '{
			printf "%-12s %-9s %10d %12d %12d %10d\n", $1, $2, n, none / n, ($3 - none) / n, $4 }'
	done
}

# opensnoop: files that awk opens; the others: I/O of a loop device of this run.
bench_tools() {
	printf '%-12s %-9s %10s %12s %12s %10s\n' tool tracer events 'ns of each' 'more ns' lines
	cat >"$tmp/opens" <<'END'
BEGIN { for (i = 0; i < 100000; i++) { getline line <"/dev/null"; close("/dev/null") } }
END
	tool opensnoop 100000 "awk -f $tmp/opens"
	truncate -s 64M "$tmp/disk"
	disk=$(losetup -f --show "$tmp/disk") || return 0
	for name in biosnoop biolatency; do
		tool $name 20000 "dd if=/dev/zero of=$disk bs=512 count=20000 oflag=direct"
	done
	losetup -d "$disk"
}
