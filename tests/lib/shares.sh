# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Profiles of tests/programs/shares.c, which prints the time of each of its functions.

# COMMAND...: runs it as run() does, again while the CPU was taken away from the program for more than 0.2 % of its
# time: samples of that time are in one place. After 20 times the last result stands.
run_shares() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		run "$@"
		if printf '%s\n' "$out" | awk '$1 == "held" { held = $2 } $1 ~ /^[fgh]$/ && NF == 2 { sum += $2 }
			END { exit held * 500 > sum }'; then return; fi
	done
}
shares_times() { printf '%s\n' "$out" | awk '$1 ~ /^[fgh]$/ && NF == 2'; } # "FUNCTION NS" of the program that has run
