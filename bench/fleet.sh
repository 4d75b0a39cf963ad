# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# dtr merge over the files of a fleet, with sums that are checked. Sourced by bench/run; sets nothing but functions.

fleet_row() { # HOSTS KEYS sum|hosts
	set -- "$1" "$2" "$3" "$([ "$3" = sum ] || echo --by-host)"
	took=$(cd "$tmp/fleet" && seq 0 $(($1 - 1)) | xargs -x "$build/tests/saved/fleet" run \
		"$build/dtr" merge -q $4 -o "$tmp/merged") # shellcheck disable=SC2086
	if "$build/tests/saved/fleet" check "$tmp/merged" "$1" "$2" "$3"; then exact=exact; else exact=wrong; fi
	printf '%6s %7s %9s %-26s %s\n' "$1" "$2" "$([ "$3" = sum ] && echo "$2" || echo $(($1 * $2)))" "$took" "$exact"
}

bench_fleet() {
	build=$(cd "$build" && pwd)
	for kind in sum hosts; do
		echo "dtr merge $([ $kind = sum ] || echo --by-host)"
		printf '%6s %7s %9s %-26s %s\n' hosts keys rows 'time, CPU time, memory' sums
		for hosts in ${HOSTS:-10 100 1000}; do
			rm -rf "$tmp/fleet"
			mkdir "$tmp/fleet"
			"$build/tests/saved/fleet" make "$tmp/fleet" "$hosts" "${KEYS:-10000}"
			fleet_row "$hosts" "${KEYS:-10000}" $kind
		done
	done
	rm -rf "$tmp/fleet" "$tmp/merged"
}
