# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2086 # $bpftrace is several words
# Parts of bench/run: user stacks of bench/frames.c, which is built with frame pointers and without.

# Does the kernel engine have unwinding tables? If not, their columns stay empty.
kernel_has_tables() {
	"$build/dtr" -x engine=bpf -x unwind=tables -qn 'BEGIN { exit(0); } profile-1 { @[ustack()] = count(); }' \
		>/dev/null 2>&1
}

# frames-KIND FRAMES -- the program that keeps all CPUs busy while a command runs
over() { echo "$build/bench/frames-$1 $2"; }

# The cost of one `@[ustack()] = count()` by the number of frames, in turns: by frame pointers, by the tables of the
# same program without frame pointers, by bpftrace, and the kernel's own walk in a program in C.
stacks_by_depth() {
	ms=${MS:-500}
	s=$(awk "BEGIN { print $ms / 1000 }")
	script="profile-4999 { @[ustack()] = count(); } tick-${ms}ms { exit(0); }"
	peer_object
	set -- "empty program" $(over pointers 20) "$build/bench/peer" "$tmp/peer.o" job_empty 4999 "$s"
	for n in 5 20 45; do
		set -- "$@" -- "$n C" $(over pointers $n) "$build/bench/peer" "$tmp/peer.o" job_ustack 4999 "$s" \
			-- "$n fp" $(over pointers $n) "$build/dtr" -x unwind=fp -qn "$script"
		! kernel_has_tables || set -- "$@" -- "$n tables" $(over tables $n) "$build/dtr" -x unwind=tables -qn \
			"$script"
		[ -z "$bpftrace" ] || set -- "$@" -- "$n bpftrace" $(over pointers $n) $bpftrace \
			-e "profile:hz:4999 { @[ustack(100)] = count(); } interval:ms:$ms { exit(); }"
	done
	"$build/bench/cost" -i -t "${ROUNDS:-7}" "$@" | awk -F'[ |]' '
		function ratio(a, b) { return a > 0 && b > 0 ? sprintf("%.2f", a / b) : "" }
		function goal(r, most) { return r == "" ? "" : (r + 0 > most) ? "missed" : "met" }
		$1 ~ /^[0-9]+$/ { ns[$1, $2] = $3; if ($2 == "C") depth[++n] = $1 }
		END {
			printf "%-22s %8s %8s %8s %8s %9s %-12s %9s %s\n", "@[ustack()], net ns", "C", "bpftrace",
				"fp", "tables", "tables/fp", "(goal 1.50)", "fp/bpft.", "(goal 1.00)"
			for (i = 1; i <= n; i++) {
				d = depth[i]
				t = ratio(ns[d, "tables"], ns[d, "fp"])
				b = ratio(ns[d, "fp"], ns[d, "bpftrace"])
				printf "%-22s %8s %8s %8s %8s %9s %-12s %9s %s\n", d " frames", ns[d, "C"],
					ns[d, "bpftrace"], ns[d, "fp"], ns[d, "tables"], t, goal(t, 1.5), b, goal(b, 1)
			}
		}'
}

# sampled TITLE FILE COMMAND...: a row with the CPU time of the command with its children, as a part of the duration,
# and the size of the file ("": none), while all CPUs run programs of 20 frames. $tmp/said has its output.
sampled() {
	title=$1 file=$2
	shift 2
	times=$(sh -c '"$@" >"$0" 2>&1; times' "$tmp/said" "$@" | tail -n 1)
	size=-
	[ -z "$file" ] || size=$(awk -v b="$(stat -c %s "$file" 2>/dev/null || echo 0)" \
		'BEGIN { printf "%.1f", b / 1e6 }')
	echo "$times" | awk -v title="$title" -v size="$size" -v ms="$sampled_ms" '
		function seconds(t) { split(t, p, "m"); return p[1] * 60 + p[2] }
		{
			cpu = 1e3 * (seconds($1) + seconds($2))
			printf "%-34s %9.0f %8.2f %% %9s", title, cpu, 100 * cpu / ms, size
		}'
}

# The last column: samples of the busy programs, and lost ones, as the command reports them.
counted() { # SAMPLES LOST
	printf ' %9s %6s\n' "$1" "$2"
}

# 997 Hz on all CPUs, all of them busy for some seconds in programs without frame pointers: dtr by tables, bpftrace by
# frame pointers, perf by copies of the stack.
stacks_sampled() {
	sampled_ms=${SAMPLED_MS:-4000}
	s=$(awk "BEGIN { print $sampled_ms / 1000 }")
	unwind=fp kind=pointers
	! kernel_has_tables || { unwind=tables kind=tables; }
	printf '%-34s %9s %10s %9s %9s %6s\n' "997 Hz, 20 frames, $(nproc) CPUs busy" 'CPU ms' 'of one CPU' 'file MB' \
		samples lost
	sampled "dtr, by $unwind" '' "$build/bench/frames-$kind" 20 "$build/dtr" -x cost -x unwind=$unwind -q \
		-n 'profile-997 { @[ustack()] = count(); @n = count(); } END { printa("n %@d\n", @n); }' \
		-n "tick-${sampled_ms}ms { exit(0); }"
	counted "$(awk '$1 == "n" { print $2 }' "$tmp/said")" "$(awk '/ drops? | not delivered/ { n += $2 }
		END { print n + 0 }' "$tmp/said")"
	awk '$1 == "profile-997" { part = $(NF - 1) } /dtr itself/ { part += $(NF - 1) }
		END { printf "%-34s %21.2f %%  (goal 0.70: %s)\n", "  with its program in the kernel", part,
			(part > 0.7 ? "missed" : "met") }' "$tmp/said"
	if [ -n "$bpftrace" ]; then
		sampled 'bpftrace, by fp' '' "$build/bench/frames-pointers" 20 $bpftrace \
			-e "profile:hz:997 { @[ustack(100)] = count(); @n = count(); }
			interval:ms:$sampled_ms { exit(); }"
		counted "$(awk '$1 == "@n:" { print $2 }' "$tmp/said")" -
	fi
	have perf || return 0
	sampled 'perf record --call-graph dwarf' "$tmp/frames.data" "$build/bench/frames-$kind" 20 \
		perf record -a -F 997 --call-graph dwarf -o "$tmp/frames.data" sleep "$s"
	mv "$tmp/said" "$tmp/recorded"
	lost=$(awk '/lost [0-9]+ chunks/ { for (i = 1; i < NF; i++) if ($i == "lost") n += $(i + 1) }
		END { print n + 0 }' "$tmp/recorded")
	counted "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$tmp/recorded")" "$lost"
	sampled '  perf script of that' "$tmp/said" perf script -i "$tmp/frames.data"
	echo
}
