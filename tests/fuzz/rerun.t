#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs every fuzz target on the kept inputs (corpus), on those that once found an error (found), and on files of other
# tests (seeds).
BUILD=${DTR%/*}
export BUILD SRC
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

for t in $(sed -n 's/^\([a-z]*\) .*/\1/p' "$SRC/tests/fuzz/targets"); do
	sh "$SRC/tests/fuzz/seeds" $t "$tmp/$t/seeds" || { failed=1; echo "# seeds of $t failed"; }
	set -- "$tmp/$t/seeds"
	for kept in corpus found; do
		[ ! -f "$SRC/tests/fuzz/$kept/$t.txt" ] || { ln -s "$SRC/tests/fuzz/$kept/$t.txt" "$tmp/$t/$kept" &&
			set -- "$@" "$tmp/$t/$kept"; }
	done
	"$BUILD/tests/fuzz/rerun_$t" "$@" >"$tmp/out" 2>"$tmp/err" || failed=1
	grep -q "^ok\|^not ok" "$tmp/out" || echo "not ok 0 - $t: no result" >>"$tmp/out"
	sed -n 's/^/# /p' "$tmp/err" | tail -n 30
	while read -r line; do
		case $line in
		"ok "*) n=$((n + 1)); echo "ok $n -${line#*-}" ;;
		"not ok "*) n=$((n + 1)); failed=1; echo "not ok $n -${line#*-}" ;;
		1..*) ;;
		*) echo "$line" ;;
		esac
	done <"$tmp/out"
done
echo "1..$n"
exit $failed
