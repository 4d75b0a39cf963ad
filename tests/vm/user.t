# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The rootless engine on other kernels, a short form of tests/cmd/rootless.t and tests/symbols/unwind.t: as an
# ordinary user, without perf events, and as root. The ledger adds up; stacks from unwinding tables are complete.
. "$SRC/tests/lib/tap.sh"
busy=$here/tests/kernel/busy
user=$here/tests/kernel/as_user
"$user" test -x "$DTR" || { echo '1..0 # SKIP another user cannot read the build'; exit 0; }

# Prints what does not add up in the ledger of profile-997, of which the script has counted $1 firings: expected =
# delivered + every column not in brackets.
wrong() {
	printf '%s\n' "$err" | awk -v all="$1" '/^  probe/ { for (i = 5; i <= NF; i++) bracket[i + 2] = $i ~ /^\(/;
		next }
		$1 == "profile-997" { seen = 1; n = $4; for (i = 7; i <= NF; i++) if (!bracket[i]) n += $i
			if (n != $3) print "expected " $3 ", told " n
			if ($4 != all) print "delivered " $4 ", counted " all }
		END { if (!seen) print "no account" }'
}

for as in "$user" "$user noperf" "$user noperf notrace" "$user root"; do # this kernel allows users no perf events
	# shellcheck disable=SC2086
	run $as "$DTR" -x engine=user -x nolibs -x ledger -qn 'profile-997 /pid == $target/ {
		@[arg0 ? "kernel" : "other"] = count(); @all["all"] = count(); }' \
		-c "$busy split 300 150"
	who=${as##*/}
	all=$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')
	is "$status $(wrong "$all")" '0 ' "$who: the ledger adds up"
	ran=$(printf '%s\n' "$out" | awk '$1 == "ran" { print $2 }')
	# clocks of /proc and of a process are some ticks apart; a program's start is time, too
	between "$all" "$(awk "BEGIN { print $ran * 0.9 - 6 }")" "$(awk "BEGIN { print $ran * 1.1 + 30 }")" \
		"$who: one firing per interval of run time"
done

if [ "$(uname -m)" = x86_64 ]; then
	run "$user" root "$DTR" -x engine=user -x nolibs -O folded -qn 'profile-997 /pid == $target/ {
		@[ustack()] = count(); }' -c "$here/tests/symbols/unwound signal 100"
	chains=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g' | grep -E '(^|;)spin[; ]')
	like "$chains" 'main;outer;middle;inner;by_signal;.*;handler;spin' 'a stack without frame pointers'
	is "$(printf '%s\n' "$chains" | grep -vc 'main;outer;middle;inner;by_signal;.*;handler;spin')" 0 \
		'every stack is complete'
fi
done_testing
