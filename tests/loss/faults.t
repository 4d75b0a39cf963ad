# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Helpers of the kernel fail, always or at random: each failed call is one drop on its CPU; the results of the others
# are exact.
. "$SRC/tests/loss/loss.sh"
DTR=$here/tests/loss/faulty
busy

# Numbers of helpers and errors for FAULTY (faulty.c).
update=2 delete=3 output=130 storage=156
enomem=12 ebusy=16 e2big=7 eagain=11

# failing FAULTY SCRIPT NAME: runs the script until it has reported a drop or printed a record, and a while longer; sets
# the same variables as start and finish.
failing() {
	FAULTY=$1 FAULTY_TELL=$work/tell start -x ledger=off -n "$2"
	wait_until grep -Eq '^R|^[a-z]*: [0-9]+ .*drop' "$work/out" "$work/err"
	pause 2
	finish INT
	is "$status" 0 "$3: dtr exits with 0"
	is "$(sed -n 's/^slots //p' "$work/tell")" 0 "$3: all scratch slots are released"
}

# failed [CPU]: prints the number of failed calls, including those that failed in the kernel without injection.
failed() { awk -v cpu="${1:-}" '$1 == "failed" && (cpu == "" || $2 == cpu) { n += $3 } END { print n + 0 }' \
	"$work/tell"; }

counted=$(on_each_cpu 'profile-4999 /cpu == CPU/ { @madeCPU = count(); }')
told=$(on_each_cpu 'END { printa("made CPU %@d\n", @madeCPU); }')

# An aggregation with keys. Each CPU cycles through its own 50 keys. Each event adds 1e9 plus the number of its cycle,
# so a sum shows how many events it contains and of which cycles: all those after the insert succeeded. Only the hash
# map can fail: there is no row table, or one of four rows.
keys="BEGIN { around = 50; } $counted $(on_each_cpu 'BEGIN { iCPU = 0; }
	profile-4999 /cpu == CPU/ { @key[cpu, iCPU % around] = sum(1000000000 + iCPU / 50); iCPU++; }')
	$told END { printa(\"K %d %d %@d\\n\", @key); }"
wrong_keys='$1 == "made" { made[$2] = $3 } $1 == "K" { got[n++] = $2 " " $3 " " $4 }
	END {
		for (i = 0; i < n; i++) {
			split(got[i], k, " ")
			has = int(k[3] / 1e9)
			all = int(made[k[1]] / 50) + (k[2] < made[k[1]] % 50)
			if (k[3] - has * 1e9 != has * (2 * all - has - 1) / 2)
				wrong++
		}
		print wrong + 0
	}'
for how in "ENOMEM $enomem 256 0" "ENOMEM $enomem 128 256" "EBUSY $ebusy 256 256" "EBUSY $ebusy 200 0" \
	"E2BIG $e2big 256 256" "E2BIG $e2big 250 0"; do
	# shellcheck disable=SC2086
	set -- $how
	name="$1 of $3 in 256 inserts, aggtable=$4"
	DTR_OPT_AGGTABLE=$4 failing "$update:$2:$3" "$keys" "$name"
	for cpu in $cpus; do
		in=$(awk -v cpu="$cpu" '$1 == "K" && $2 == cpu { n += int($4 / 1e9) } END { print n + 0 }' "$work/out")
		lost=$(dropped 'aggregation drop' "$cpu")
		is "$((in + lost))" "$(made "$cpu")" "$name: made = printed + dropped on CPU $cpu ($in + $lost)"
		is "$lost" "$(failed "$cpu")" "$name: one drop per failure on CPU $cpu"
	done
	some "$(failed)" 'there were failures'
	is "$(awk "$wrong_keys" "$work/out")" 0 "$name: keys are exact after their insert has succeeded"
done

# Records in the ring buffer. Records of errors count like others.
failing "$output:$eagain:128" "BEGIN { zero = 0; } $counted profile-4999 { printf(\"R %d\\n\", cpu); }
	profile-4999 { trace(cpu / zero); } ERROR { printf(\"R %d\\n\", cpu); } $told" 'half of the records'
lost=$(dropped drop) printed=$(grep -c '^R' "$work/out") errors=$(grep -c ': error on enabled' "$work/err")
is "$((printed + errors + lost))" "$((3 * $(column made 3)))" \
	"made = printed + reported errors + dropped ($printed + $errors + $lost)"
for cpu in $cpus; do
	is "$(dropped drop "$cpu")" "$(failed "$cpu")" "half of the records: one drop per failure on CPU $cpu"
done
some "$(failed)" 'there were failures'

# Associative arrays: after a failed insert the element does not exist; after a failed removal it still does.
failing "$update:$ebusy:128" "$counted profile-4999 { a[cpu, timestamp] = 1; @in = sum(a[cpu, timestamp]); } $told
	END { printa(\"in %@d\\n\", @in); }" 'elements of arrays'
is "$(($(column in 2) + $(dropped 'dynamic variable drop')))" "$(column made 3)" \
	'elements of arrays: made = stored + dropped'
is "$(dropped 'dynamic variable drop')" "$(failed)" 'elements of arrays: one drop per failure'
some "$(failed)" 'there were failures'
failing "$delete:$ebusy:128" "$counted profile-4999 { a[cpu, timestamp] = 1; a[cpu, timestamp] = 0;
	@left = sum(a[cpu, timestamp]); } $told END { printa(\"left %@d\\n\", @left); }" 'removals'
is "$(column left 2)" "$(failed)" 'removals: an element still exists if its removal failed'
is "$(dropped 'dynamic variable drop')" "$(failed)" 'removals: one drop per failure'
some "$(failed)" 'there were failures'

# Thread variables in the kernel's map, which also fail without injection now and then (about 1 in 17,000 firings).
DTR_OPT_VARTABLE=0 failing "$storage:0:128" "$counted profile-4999 { self->x = 1; } $told" 'thread variables'
is "$(dropped 'dynamic variable drop')" "$(failed)" 'thread variables: one drop per failure'
some "$(failed)" 'there were failures'

# Scratch slots, which programs on perf events do not need: with one slot left nothing is lost, without any everything.
script="sched:::on-cpu { s = execname; printf(\"R %d %s %s\\n\", cpu, s, s); }
	$(on_each_cpu 'sched:::on-cpu /cpu == CPU/ { @madeCPU = count(); }') $told"
FAULTY_SLOTS=3 failing '' "$script" 'one scratch slot left'
records_add_up 'one scratch slot left'
is "$(dropped 'scratch space drop')" 0 'one scratch slot left: no drops'
some "$(grep -c '^R' "$work/out")" 'there were records'
FAULTY_SLOTS=4 DTR_OPT_cost=1 failing '' "$script" 'no scratch slot left'
is "$(column made 3)$(column R 2)" 00 'no scratch slot left: no clause runs'
runs=$(awk '$1 == "on-cpu" { print $2 }' "$work/err")
is "$(dropped 'scratch space drop')" "$runs" 'no scratch slot left: every firing is a drop'
some "$runs" 'there were firings'
# Ring buffers for which there is no memory.
resized() { # ARGUMENTS...
	run env FAULTY_RING=65536 "$DTR" -q "$@" -n 'BEGIN { printf("here\n"); exit(0); } tick-1s { printf("late\n"); }'
}
resized
is "$out" here 'buffers are reduced if there is no memory'
like "$err" 'warning: buffer size lowered to 64k' 'a warning reports the reduced size'
resized -x quietresize
is "$err" '' 'no warning with quietresize'
resized -b 64k
is "$err" '' 'no warning if the buffer fits'
resized -x bufresize=manual
is "$status" 1 'bufresize=manual: too little memory is an error'
like "$err" '^faulty: creating map dtr_ring0: Cannot allocate memory ' 'bufresize=manual: the error gives the reason'
run env FAULTY_RING=2048 "$DTR" -q -n 'BEGIN { exit(0); }'
is "$status" 1 'no memory at all is an error'
done_testing
