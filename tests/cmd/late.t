# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Output that is late, because its reader does not read: it is reported, the session ends soon after exit(), and no
# count is lost.
. "$SRC/tests/lib/tap.sh"
need_kernel

cat >"$work/late.d" <<'END'
profile-997 { @[n++ % 2000] = count(); @[n++ % 2000] = count(); @total = count(); }
tick-20ms { ticks++; printa("%d %@d\n", @); clear(@); }
tick-2s { exit(0); }
END { printf("ticks %d\n", ticks); printa("total %@d\n", @total); }
END
{ DTR_OPT_ENGINE=bpf "$DTR" -x ledger=off -x aggsize=8m -qs "$work/late.d" 2>"$work/err" || echo "failed $?"; } |
	{ sleep 4; cat; } >"$work/out"
err=$(cat "$work/err")
like "$err" 'warning: output is late: printing takes longer than the interval of tick-20ms' 'it is reported'
is "$(printf '%s\n' "$err" | grep -c 'output is late')" 1 '... once'
like "$err" 'warning: output was up to [1-9][0-9]* s late' '... and at the end'
like "$err" '[0-9] records of printa\(\) that waited at the end were left out' 'what would be printed twice is left out'
is "$(grep -c failed "$work/out")" 0 'the session ends by exit()'
is "$(awk '$1 == "total" { total = $2 } $1 ~ /^[0-9]/ { sum += $2 } END { print sum - 2 * total }' "$work/out")" 0 \
	'no count is lost'
unlike "$(awk '$1 == "total" { print $2 }' "$work/out")" '^0*$' '... of many'
done_testing
