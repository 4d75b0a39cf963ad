# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Growth with the number of CPUs, in guests of QEMU. Sourced by bench/run; sets nothing but functions.
bench_cpus() {
	echo "Linux ${KERNEL:-6.12} in QEMU (TCG). ms: start; with profile-97 and an aggregation without key, keyed,"
	echo 'with records; CPU time per snapshot. KB: maps and memory of dtr with records, and with keys'
	printf '%5s %9s %9s %9s %9s %10s %9s %9s %9s %9s\n' CPUs start profile keyed records snapshot 'maps, r' \
		'RSS, r' 'maps, a' 'RSS, a'
	for cpus in ${CPUS:-1 4 16 64}; do
		sh "$dir/../tests/vm/run" -k "${KERNEL:-6.12}" -c "$cpus" -t 3600 -f "$dir/cpus-guest.sh" "$build" -- \
			'sh /f/cpus-guest.sh'
	done
}
