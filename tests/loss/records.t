# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Records at high rates, long ones that are built in scratch memory, and faults in the middle of a record.
. "$SRC/tests/loss/loss.sh"
busy

counted() { # PROBES N
	on_each_cpu "$1 /cpu == CPU/ { @madeCPU = sum($2); }"
}
told=$(on_each_cpu 'END { printa("made CPU %@d\n", @madeCPU); }')

# Ten probes at the highest rate. The buffers hold the records of some seconds, so the consumer need not be fast.
ten=profile-4999 i=0
while [ $i -lt 9 ]; do
	ten="$ten, profile-$((200050 + i))ns"
	i=$((i + 1))
done
start -x ledger=off -x bufsize=32m -n "$(counted "$ten" 1) $ten { printf(\"R %d\\n\", cpu); } $told"
pause 5
finish INT
is "$status" 0 'ten probes: dtr exits with 0'
records_add_up 'ten probes'
is "$(dropped drop)" 0 'ten probes: no drops while the consumer reads'
some "$(grep -c '^R' "$work/out")" 'ten probes: there were records'

# The default buffer size: a late consumer loses records, but counts them.
start -x ledger=off -n "$(counted "$ten" 1) $ten { printf(\"R %d\\n\", cpu); } $told"
pause 3
finish TERM
is "$status" 0 'ten probes, default size: dtr exits with 0'
records_add_up 'ten probes, default size'

# Long, nested records: tick-5000 may run in a process, where every timer can interrupt it. A fault discards the whole
# record of its clause. The clauses before and after it have their records, and so do the fault and ERROR.
start -x ledger=off -x strsize=512 -x bufsize=16k -n "BEGIN { zero = 0; }
	$(counted 'profile-4999, tick-1ms, tick-5000' 4)
	profile-4999, tick-1ms, tick-5000 { this->s = execname; printf(\"R %d|%s|%s\\n\", cpu, this->s, this->s); }
	profile-4999, tick-1ms, tick-5000 { this->s = execname; printf(\"F %d %s %d\\n\", cpu, this->s, cpu / zero);
	printf(\"F %d\\n\", cpu); }
	profile-4999, tick-1ms, tick-5000 { printf(\"R %d|%s\\n\", cpu, probename); }
	ERROR { this->s = execname; printf(\"R %d|%s\\n\", cpu, this->s); } $told"
sleep 0.2
overflow 0.2
finish INT
is "$status" 0 'faults: dtr exits with 0'
printed=$(grep -c '^R' "$work/out") errors=$(grep -c ': error on enabled' "$work/err") lost=$(dropped drop)
is "$((printed + errors + lost))" "$(column made 3)" \
	"faults: made = printed + errors + dropped ($printed + $errors + $lost)"
is "$(grep -c '^F' "$work/out")" 0 'a clause with a fault has no record'
is "$(awk -F'|' '/^R/ && (NF != 3 || $2 != $3) && NF != 2' "$work/out")" '' 'every record is complete'
is "$(dropped 'scratch space drop')" 0 'there is scratch memory for all nested firings'
some "$lost" 'there were drops'
some "$errors" 'there were errors'

# Faults within ERROR are counted, but not reported individually, and have no record.
start -x ledger=off -n "BEGIN { zero = 0; } profile-4999 { @n = count(); trace(cpu / zero); } ERROR {
	trace(cpu / zero); }
	END { printa(\"made all %@d\\n\", @n); }"
wait_for ' in ERROR' "$work/err"
finish INT
is "$(sed -n 's/^dtr: \([0-9]*\) errors* in ERROR probe enabling$/\1/p' "$work/err" | awk '{ n += $1 } END {
	print n + 0 }')" \
	"$(column made 3)" 'all faults within ERROR are counted'
is "$(grep -c ': error on enabled' "$work/err")" "$(column made 3)" 'the faults that fired ERROR are reported'
some "$(column made 3)" 'there were faults'
done_testing
