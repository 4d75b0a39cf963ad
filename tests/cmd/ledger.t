# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -x ledger and -x cost as the user sees them. For the effect of each kind of loss see tests/kernel/test_ledger.c.
. "$SRC/tests/lib/tap.sh"
need_kernel

# Prints the rows of the table on stdin that do not add up: expected = delivered + every column not in brackets.
wrong_rows() {
	awk '/^  probe/ { for (i = 5; i <= NF; i++) bracket[i + 2] = $i ~ /^\(/; next }
	/^  (profile|tick)-/ { n = $4; for (i = 7; i <= NF; i++) if (!bracket[i]) n += $i; if (n != $3) print; rows++ }
	END { if (!rows) print "no rows" }'
}

run "$DTR" -x ledger -qn 'profile-997 { @ = count(); } tick-1ms { } tick-400ms { exit(0); }'
is "$status" 0 '-x ledger runs'
like "$err" '^dtr: ledger of firings:$' 'the table has a title'
like "$err" '^  profile-997 +all +[0-9]+ +[0-9]+ +[0-9.]+ %' 'a row for a profile probe'
like "$err" '^  tick-1ms +all +[0-9]+ +[0-9]+ +[0-9.]+ %' 'a row for a tick'
unlike "$err" 'unexplained' 'no firing is unexplained'
is "$(printf '%s\n' "$err" | wrong_rows)" '' 'every row adds up'
delivered=$(printf '%s\n' "$err" | awk '$1 == "profile-997" { print $4 }')
same "$(echo $out)" "$delivered" 'delivered is the count of the script'
is "$(grep -c 'were not delivered' "$work/err")" 0 'the table replaces the warning'

run "$DTR" -x ledger=cpu -qn 'profile-997 { @ = count(); } tick-400ms { exit(0); }'
like "$err" '^  profile-997 +0 +[0-9]+ ' 'ledger=cpu has rows by CPU'
is "$(printf '%s\n' "$err" | wrong_rows)" '' 'every row adds up'
is "$(printf '%s\n' "$err" | awk '$1 == "profile-997" { n += $2 == "all" ? $3 : -$3 } END { print n }')" 0 \
	'the CPUs add up to the sum'

run "$DTR" -x ledger -qn 'BEGIN { exit(0); }'
like "$err" '^dtr: ledger: no clock-driven probe was enabled$' 'no ledger without a clock-driven probe'
run "$DTR" -x ledger=maybe -qn 'BEGIN { exit(0); }'
like "$err" "invalid value 'maybe' for option 'ledger': expected on, off, warn or cpu" 'an invalid value is refused'
run "$DTR" -x ledger=off -qn 'profile-4999 { } tick-200ms { exit(0); }'
is "$err" '' 'ledger=off prints nothing, whatever was lost'

run "$DTR" -x cost -x ledger=off -qn 'profile-997 { @ = count(); } tick-300ms { exit(0); }'
like "$err" '^dtr: cost over [0-9.]+ s:$' '-x cost prints a title'
like "$err" '^  profile-997 +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ %$' 'a row for each probe'
like "$err" '^  dtr itself +- +- +[0-9.]+ +[0-9.]+ %$' 'a row for dtr itself'
runs=$(printf '%s\n' "$err" | awk '$1 == "profile-997" { print $2 }')
ok "$(awk "BEGIN { print !($runs >= $(echo $out)) }")" '-x cost counts at least the firings that the script counts'
run "$DTR" -x cost -x ledger -qn 'profile-997 { } tick-100ms { exit(0); }'
! if_can 'the ledger has its own row of costs' types ||
	like "$err" '^  the ledger +[0-9]+ ' 'the ledger has its own row of costs'

# A kernel that does not describe its types (BTF is hidden from this process).
cat >"$work/blind" <<'END'
[ ! -e /sys/kernel/btf/vmlinux ] || mount --bind /dev/null /sys/kernel/btf/vmlinux || exit 77
exec "$DTR" -x ledger -qn 'profile-997 { @ = count(); } tick-300ms { exit(0); }'
END
run env DTR="$DTR" unshare -m sh "$work/blind"
case $status:$err in
77:* | *unshare:*) skip 'the ledger without BTF' 'mount name spaces are not permitted' ;;
*)
	is "$status" 0 'the session runs without BTF'
	like "$err" \
		'warning: .*the ledger only counts missing firings, without causes: the kernel does not describe its '\
'types' \
		'a warning says what is missing without BTF'
	unlike "$err" ' idle | unexplained' 'the ledger without BTF has no causes'
	like "$err" '^  profile-997 +all +[0-9]+ +[0-9]+' 'the ledger without BTF has the counts' ;;
esac

done_testing
