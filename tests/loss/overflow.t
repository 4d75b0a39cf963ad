# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# More keys than fit: stored keys have exact counts; the others are counted as drops on their CPUs; none is missing.
. "$SRC/tests/loss/loss.sh"
busy

# many N TEXT: prints the text N times.
many() {
	awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) print text }'
}

# END prints how many events each CPU has made.
told=$(on_each_cpu 'END { printa("made CPU %@d\n", @madeCPU); }')

# keyed NAME AGGSIZE KEYS EVENTS AGGTABLE EACH: every CPU cycles through its own KEYS keys, EACH in a firing, until
# there are EVENTS. The output has rows "K CPU KEY COUNT". The correct count follows from the number of events of the
# CPU: the keys that came first are stored, and each later event of these keys is counted.
keyed() {
	start -x ledger=off -x aggsize="$2" -x aggtable="$5" -n "$(on_each_cpu "
		profile-4999 /cpu == CPU/ { $(many "$6" "@key[cpu, iCPU++ % $3] = count();") @madeCPU = sum($6); }
		profile-4999 /cpu == CPU && iCPU >= $4/ { doneCPU = 1; }")
		tick-20ms /$(on_each_cpu 'doneCPU' | paste -s -d '+' | sed 's/+/ \&\& /g')/ { exit(0); }
		END { printa(\"K %d %d %@d\\n\", @key); } $told"
	finish
	is "$status" 0 "$1: dtr exits with 0"
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
	is "$wrong" 0 "$1: the count of every stored key is exact"
}

# An interrupt that comes late has several firings. Their new keys must be fewer than the elements that the kernel has
# preallocated for a CPU (32 before it orders more: kernel/bpf/memalloc.c), or some are drops although all fit.
for table in 256k 0 128 64m; do
	keyed "10,000 keys that all fit, aggtable=$table" 1m 10000 50000 $table 4
	is "$(dropped 'aggregation drop')" 0 "10,000 keys that all fit, aggtable=$table: no drops"
	keyed "10,000 keys of which a few fit, aggtable=$table" 16k 10000 100000 $table 20
	some "$(dropped 'aggregation drop')" 'there were drops'
done
keyed '1,000,000 keys' 1m 1000000 $((200000 * times)) 256k 20
some "$(dropped 'aggregation drop')" 'there were drops'

# Two aggregations that share rows: a row that does not fit is a drop for both.
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
is "$(awk '$1 == "K" && $4 != $5' "$work/out")" '' 'shared rows: both aggregations count the same firings'

# Hundreds of new keys in one firing in an interrupt: more than the kernel has preallocated elements.
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
	some "$(made "$cpu")" "300 keys in a firing: there were events on CPU $cpu"
done

# An associative array: stored elements can be read.
start -x ledger=off -x dynvarsize=16k -n "profile-4999 /cpu == ${cpus%%
*}/ { $(many 20 'a[++i] = 1; @in = sum(a[i]);') @made = sum(20); } profile-4999 /i >= 20000/ { exit(0); }
	END { printa(\"in %@d\\n\", @in); printa(\"made %@d\\n\", @made); }"
finish
is "$(($(column in 2) + $(dropped 'dynamic variable drop')))" "$(column made 2)" \
	'an associative array: made = stored + dropped'
some "$(dropped 'dynamic variable drop')" 'there were drops'
some "$(column in 2)" 'there were elements'

# Removed elements make room.
start -x ledger=off -x dynvarsize=16k -n "profile-4999 /cpu == ${cpus%%
*}/ { $(many 20 'a[++i] = 1; @in = sum(a[i]); a[i] = 0;') @made = sum(20); } profile-4999 /i >= 20000/ { exit(0); }
	END { printa(\"in %@d\\n\", @in); printa(\"made %@d\\n\", @made); }"
finish
is "$(($(column in 2) + $(dropped 'dynamic variable drop')))" "$(column made 2)" \
	'elements that are set and removed: made = stored + dropped'
done_testing
