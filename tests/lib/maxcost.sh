# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sessions whose cost is limited by -x maxcost.

# The time that the host has taken from this machine, in ns.
stolen_ns() { awk '$1 == "cpu" { printf "%.0f", $9 * 10000000 }' /proc/stat; }

# LIMIT ARGUMENT...: runs dtr with a limit that it can hold; sets what `run` sets, and $stolen.
# The command goes on until firings are left out, so that this is certain. But if the host stops the machine while a
# program of the session runs, that program has taken as long, and dtr rightly ends the session and says so. That is
# checked, and the run repeated. A program of the session runs for less than a third of the time, until firings are left
# out, and the host would have to stop it for longer than the limit allows in a second: less than one run in 16 ends so,
# and five in a row less than once in a million.
held() {
	maxcost_limit=$1
	shift
	for maxcost_run in 1 2 3 4 5; do
		maxcost_before=$(stolen_ns)
		run "$DTR" -x maxcost="$maxcost_limit" "$@"
		stolen=$(($(stolen_ns) - maxcost_before))
		[ "$status" = 1 ] || return 0
		maxcost_got=$(printf '%s\n' "$err" |
			sed -n 's/.*stopped: tracing cost \([0-9.]*\) % of.*/\1/p')
		between "$maxcost_got" "$maxcost_limit" 100000 \
			"a session that is stopped has cost more than the limit (run $maxcost_run)"
	done
}
