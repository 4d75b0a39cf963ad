# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Output that is late, because its reader does not read: it is reported, the session ends soon after exit(), and no
# count is lost.
. "$SRC/tests/lib/tap.sh"
need_kernel

cat >"$work/late.d" <<'END'
profile-997 { @[n++ % 2000] = count(); @[n++ % 2000] = count(); @total = count(); }
tick-20ms { ticks++; printa("%-200d %@d\n", @); clear(@); }
BEGIN { system("touch %s", $$1); }
tick-2s { exit(0); }
END { printf("ticks %d\n", ticks); printa("total %@d\n", @total); }
END
{ DTR_OPT_ENGINE=bpf "$DTR" -w -x ledger=off -x aggsize=8m -qs "$work/late.d" "$work/begun" 2>"$work/err" ||
	echo "failed $?"; } | { for _ in $(seq 300); do [ -e "$work/begun" ] && break; sleep 0.1; done
	sleep 4; cat; } >"$work/out"
err=$(cat "$work/err")
like "$err" 'warning: output is late: printing takes longer than the interval of tick-20ms' 'it is reported'
is "$(printf '%s\n' "$err" | grep -c 'output is late')" 1 '... once'
like "$err" 'warning: output was up to [1-9][0-9]* s late' '... and at the end'
like "$err" '[0-9] records of printa\(\) that waited at the end were left out' 'what would be printed twice is left out'
is "$(grep -c failed "$work/out")" 0 'the session ends by exit()'
is "$(awk '$1 == "total" { total = $2 } $1 ~ /^[0-9]/ { sum += $2 } END { print sum - 2 * total }' "$work/out")" 0 \
	'no count is lost'
unlike "$(awk '$1 == "total" { print $2 }' "$work/out")" '^0*$' '... of many'

# A clause that prints several times: only the time between two firings counts.
cat >"$work/end.d" <<'END'
profile-997 { @[n++ % 20] = count(); }
tick-1s { exit(0); }
END { printa("%d %@d\n", @); system("sleep 1.2"); printa("%d %@d\n", @); printf("last\n"); }
END
DTR_OPT_ENGINE=bpf "$DTR" -w -x ledger=off -qs "$work/end.d" 2>"$work/err" >"$work/out"
is "$(cat "$work/err")" '' 'END alone is not late'
is "$(tail -n 1 "$work/out")" last '... and complete'
done_testing
