# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# More keys than fit: those that are in have exact counts, the others are drops, each on its CPU; nothing is missing.
. "$SRC/tests/loss/loss.sh"
busy

# many N TEXT: the text N times.
many() {
	awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) print text }'
}

# events CPU: what the script has counted on a CPU.
told=$(on_each_cpu 'END { printa("made CPU %@d\n", @madeCPU); }')

# keyed NAME AGGSIZE KEYS EVENTS: every CPU counts its own rows of `KEYS` keys, in turn, 20 in each firing, until there
# are EVENTS. The rows: "K CPU KEY COUNT". What a row must be follows from how many events its CPU has seen: the keys
# that are in are those that came first, and every later event of theirs found them.
keyed() {
	start -x ledger=off -x aggsize="$2" -n "$(on_each_cpu "
		profile-4999 /cpu == CPU/ { $(many 20 "@key[cpu, iCPU++ % $3] = count();") @madeCPU = sum(20); }
		profile-4999 /cpu == CPU && iCPU >= $4/ { doneCPU = 1; }")
		tick-20ms /$(on_each_cpu 'doneCPU' | paste -s -d '+' | sed 's/+/ \&\& /g')/ { exit(0); }
		END { printa(\"K %d %d %@d\\n\", @key); } $told"
	finish
	is "$status" 0 "$1: ends in order"
	for cpu in $cpus; do
		printed=$(awk -v cpu="$cpu" '$1 == "K" && $2 == cpu { n += $4 } END { print n + 0 }' "$work/out")
		lost=$(dropped 'aggregation drop' "$cpu")
		is "$((printed + lost))" "$(made "$cpu")" "$1: made = printed + dropped on CPU $cpu ($printed + $lost)"
	done
	wrong=$(awk -v keys="$3" '$1 == "made" { n[$2] = $3 } $1 == "K" { got[$2, $3] = $4; cpu[$2, $3] = $2;
		key[$2, $3] = $3 }
		END {
			for (i in got) {
				c = n[cpu[i]]
				if (got[i] != int(c / keys) + (key[i] < c % keys))
					wrong++
			}
			print wrong + 0
		}' "$work/out")
	is "$wrong" 0 "$1: the count of every key that is in is exact"
}

keyed '10,000 keys, all of them fit' 1m 10000 100000
is "$(dropped 'aggregation drop')" 0 'none is dropped'
keyed '10,000 keys, a few of them fit' 16k 10000 100000
some "$(dropped 'aggregation drop')" 'there were drops'
keyed '1,000,000 keys' 1m 1000000 $((200000 * times))
some "$(dropped 'aggregation drop')" 'there were drops'

# Two aggregations that share rows: a row that does not fit is a drop of both.
start -x ledger=off -x aggsize=16k -n "$(on_each_cpu "profile-4999 /cpu == CPU/ {
	$(many 20 "iCPU++; @a[cpu, iCPU] = count();
	@b[cpu, iCPU] = sum(1);") @madeCPU = sum(40); }") $told END { printa(\"K %d %d %@d %@d\n\", @a, @b); }"
for cpu in $cpus; do wait_for "aggregation drops* on CPU $cpu" "$work/err"; done
finish INT
for cpu in $cpus; do
	printed=$(awk -v cpu="$cpu" '$1 == "K" && $2 == cpu { n += $4 + $5 } END { print n + 0 }' "$work/out")
	lost=$(dropped 'aggregation drop' "$cpu")
	is "$((printed + lost))" "$(made "$cpu")" "shared rows: made = printed + dropped on CPU $cpu ($printed + $lost)"
	some "$lost" "shared rows: there were drops on CPU $cpu"
done
is "$(awk '$1 == "K" && $4 != $5' "$work/out")" '' 'shared rows: the values are of the same firings'

# Hundreds of new keys in one firing in an interrupt: more than the kernel keeps elements for at hand.
start -x ledger=off -n "$(on_each_cpu "profile-997 /cpu == CPU/ {
	$(many 300 '@key[cpu, iCPU++] = count();') @madeCPU = sum(300); }")
	$told END { printa(\"K %d %d %@d\\n\", @key); }
	$(on_each_cpu 'profile-997 /cpu == CPU && !seenCPU/ { seenCPU = 1; printf("seen CPU\n"); }')"
for cpu in $cpus; do wait_for "seen $cpu" "$work/out"; done
finish INT
for cpu in $cpus; do
	printed=$(awk -v cpu="$cpu" '$1 == "K" && $2 == cpu { n += $4 } END { print n + 0 }' "$work/out")
	lost=$(dropped 'aggregation drop' "$cpu")
	is "$((printed + lost))" "$(made "$cpu")" \
		"300 keys in a firing: made = printed + dropped on CPU $cpu ($printed + $lost)"
	some "$(made "$cpu")" "300 keys in a firing: made on CPU $cpu"
done

# An associative array: what is in can be read back.
start -x ledger=off -x dynvarsize=16k -n "profile-4999 /cpu == ${cpus%%
*}/ { $(many 20 'a[++i] = 1; @in = sum(a[i]);') @made = sum(20); } profile-4999 /i >= 20000/ { exit(0); }
	END { printa(\"in %@d\\n\", @in); printa(\"made %@d\\n\", @made); }"
finish
is "$(($(column in 2) + $(dropped 'dynamic variable drop')))" "$(column made 2)" \
	'an associative array: made = in + dropped'
some "$(dropped 'dynamic variable drop')" 'there were drops'
some "$(column in 2)" 'there were elements'

# Elements that are given back make room.
start -x ledger=off -x dynvarsize=16k -n "profile-4999 /cpu == ${cpus%%
*}/ { $(many 20 'a[++i] = 1; @in = sum(a[i]); a[i] = 0;') @made = sum(20); } profile-4999 /i >= 20000/ { exit(0); }
	END { printa(\"in %@d\\n\", @in); printa(\"made %@d\\n\", @made); }"
finish
is "$(($(column in 2) + $(dropped 'dynamic variable drop')))" "$(column made 2)" \
	'elements that come and go: made = in + dropped'
done_testing
