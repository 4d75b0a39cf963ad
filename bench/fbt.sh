#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Part of bench/run: functions of the kernel, on a kernel with kprobes. Elsewhere bench/run runs it in guests.
#
#	fbt.sh DTR READS [BPFTRACE]
set -u
dtr=$1 reads=$2 bpftrace=${3-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing

# took TITLE COMMAND...: prints the best time of some runs, in ms.
took() {
	title=$1 best=
	shift
	for _ in $(seq "${RUNS:-3}"); do
		begin=$(date +%s%N)
		"$@" >"$tmp/out" 2>&1 || { echo "| $title | fails: $(tail -n 1 "$tmp/out" | cut -c1-100) |"; return; }
		end=$(($(date +%s%N) - begin))
		[ -n "$best" ] && [ "$best" -le $end ] || best=$end
	done
	echo "| $title | $((best / 1000000)) |"
}

arming() {
	echo '| start, attach, end | ms |'
	echo '|---|---|'
	took 'dtr BEGIN' "$dtr" -qn 'BEGIN { exit(0); }'
	for what in vfs_read vfs_* tcp_*; do
		took "dtr fbt::$what:entry" "$dtr" -qn "fbt::$what:entry { @ = count(); } BEGIN { exit(0); }"
	done
	RUNS=1 took 'dtr fbt:vmlinux::entry' "$dtr" -qn 'fbt:vmlinux::entry { @ = count(); } BEGIN { exit(0); }'
	took 'dtr -l -P fbt' "$dtr" -l -P fbt
	[ "$bpftrace" ] || return
	took 'bpftrace BEGIN' "$bpftrace" -e 'BEGIN { exit(); }'
	for what in vfs_read vfs_* tcp_*; do
		took "bpftrace kprobe:$what" "$bpftrace" -e "kprobe:$what { @ = count(); } BEGIN { exit(); }"
	done
	for what in vfs_read vfs_*; do
		took "bpftrace kfunc:$what" "$bpftrace" -e "kfunc:$what { @ = count(); } BEGIN { exit(); }"
	done
	took 'bpftrace -l kprobe:*' "$bpftrace" -l 'kprobe:*'
}

# firing TITLE COMMAND...: the time of a read, of ROUNDS in which all take turns.
firing() {
	title=$1
	shift
	rm -f "$tmp/ns"
	"$@" >"$tmp/out" 2>&1
	[ ! -s "$tmp/ns" ] || echo "$title|$(cat "$tmp/ns")" >>"$tmp/firings"
}

firings() {
	load="$reads ${READS:-50000} $tmp/ns"
	for _ in $(seq "${ROUNDS:-3}"); do
		firing none $load
		firing 'dtr entry' "$dtr" -qn 'fbt::vfs_read:entry { @ = count(); }' -c "$load"
		firing 'dtr return' "$dtr" -qn 'fbt::vfs_read:return { @ = count(); }' -c "$load"
		[ "$bpftrace" ] || continue
		for probe in kprobe kretprobe kfunc kretfunc; do
			firing "bpftrace $probe" "$bpftrace" -e "$probe:vfs_read { @ = count(); }" -c "$load"
		done
	done
	echo '| net ns of a firing, @ = count() | |'
	echo '|---|---|'
	sort -t'|' -k1,1 -k2,2n "$tmp/firings" | awk -F'|' '!($1 in best) { best[$1] = $2; order[++n] = $1 }
		END { for (i = 1; i <= n; i++) if (order[i] != "none")
			printf "| %s | %d |\n", order[i], best[order[i]] - best["none"] }'
}

echo "Linux $(uname -r), $(nproc) CPUs${DTR_VM:+, emulated by QEMU}"
arming
echo
firings
