# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# cpc: software events compared with the kernel's own counts of a process, names and refusals; hardware events where the
# machine has them.
. "$SRC/tests/lib/tap.sh"
need_kernel
counted=$here/tests/kernel/counted

# A thread that loses its CPU in a system call on a BPF map keeps the kernel from running programs of perf events there,
# for whichever thread runs then. The ledger counts that; such a run is repeated.
# exactly ARG...: runs dtr until the ledger shows no loss of a cpc probe, at most ten times
exactly() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		rm -f "$work/d"
		run "$DTR" "$@"
		printf '%s\n' "$err" |
			awk '$1 ~ /-(all|user|kernel)-[0-9]+$/ && $3 != $4 { lost = 1 } END { exit lost }' && break
	done
}

# ---- firings equal what getrusage() says, exactly ----
# count EVENT...: firings while the program is between its last two calls of getrusage
count() { # PROBE KIND N
	exactly -x ledger -qo "$work/d" -n "BEGIN { calls = 0; n = 0; }
		syscall::getrusage:entry /pid == \$target/ { calls++; }
		syscall::getrusage:return /pid == \$target/ { calls++; }
		cpc:::$1 /pid == \$target && calls == 4/ { n++; }
		END { printf(\"%d\", n); }" -c "$counted $2 $3"
}
if with_bpf 'software events'; then
	count page_faults-all-1 faults 3000
	same "$(cat "$work/d")" "$out" "page_faults: $out pages"
	between "$out" 3000 3010 'page faults of the program'
	like "$err" '^  page_faults-all-1 +all +([0-9]+) +\1 100\.0 %$' 'ledger: each page fault of the machine fired'
	count minor_faults-user-1 faults 3000
	same "$(cat "$work/d")" "$out" 'minor_faults in user mode'
	count page_faults-kernel-1 faults 3000
	same "$(cat "$work/d")" 0 'page_faults in the kernel'
	count context_switches-all-1 switches 200
	same "$(cat "$work/d")" "$out" "context_switches: $out"
	count cs-kernel-1 switches 200
	same "$(cat "$work/d")" "$out" 'the name of perf; switches are in the kernel'
	count cpu_migrations-all-1 migrations 100
	same "$(cat "$work/d")" "$out" "cpu_migrations: $out"
fi

# ---- a firing for every COUNT events; two probes of one event ----
if with_bpf 'software events'; then
	exactly -x ledger=cpu -qo "$work/d" -n 'cpc:::page_faults-all-1 { @one[cpu] = count(); }
		cpc:::page-faults-all-100 { @all[cpu] = count(); @hundred = count(); }
		profile-997 { @p = count(); }
		END { printa("%d %@d %@d\n", @one, @all); }' -c "$counted faults 5000"
	is "$status" 0 'two cpc probes and one of profile'
	is "$(awk 'NF == 3 && ($3 != int($2 / 100)) { print "wrong:", $0 }' "$work/d")" '' \
		'one firing for 100 events of a CPU'
	like "$err" '^  page-faults-all-100 +all +([0-9]+) +\1 100\.0 %' 'ledger: the events divided by 100'
fi

# ---- arg0 and arg1; exit() in the middle of events ----
if with_bpf 'software events'; then
	exactly -x ledger -qo "$work/d" -n 'cpc:::page_faults-user-1 /arg0 || !arg1/ { @bad = count(); }
		cpc:::context_switches-all-1 /arg1 || !arg0/ { @bad = count(); }
		cpc:::page_faults-user-1 /pid == $target && n++ > 1000/ { exit(3); }' -c "$counted faults 20000"
	is "$status:$(cat "$work/d")" 3: 'arg0 is the program counter of the kernel, arg1 that of the user'
	like "$err" '^  page_faults-user-1 +all +([0-9]+) +\1 100\.0 %( +0)?$' \
		'ledger: events after exit() are not due'
	run "$DTR" -x ledger -qn 'cpc:::cpu_clock-all-1000000 /pid == $target/ { @ = count(); }' \
		-c "$counted time 200"
	ms=$(printf '%s\n' "$out" | head -n 1)
	ticks=$(printf '%s\n' "$out" | awk 'NF { n = $1 } END { print n }')
	# a slow machine is late, and then skips intervals
	between "$ticks" 1 $((ms * 100)) "cpu_clock: $ticks firings in at least $ms ms"
	like "$err" '^  cpu_clock-all-1000000 +all +[0-9]+ +[0-9]+ ' 'ledger: that of the timers'
fi

# ---- names ----
refused() { # DESCRIPTION REGEX
	run "$DTR" -en "$1 {}"
	like "$status:$err" "^1:.*$2" "refused: $1"
}
refused 'cpc:::page_faults-all-0' 'count 0 is below the floor of 1$'
refused 'cpc:::cpu_clock-all-1000' 'count 1000 is below the floor of 200000 ns$'
refused 'cpc:::PAPI_tot_cyc-all-4999' 'count 4999 is below the floor of 5000$'
refused 'cpc:::page_faults-all-99999999999999999999' 'the count is too large'
refused 'cpc:::page_faults-all-many' 'the last part must be the number of events'
refused 'cpc:::page_faults-all-0x1-1' 'page_faults has no umask'
refused 'cpc:::page_faults-all--1' 'the umask is empty'
refused 'cpc:::context_switches-user-1' 'the event happens only in the kernel: MODE must be kernel or all'
refused 'cpc:::migrations-user-100' 'the event happens only in the kernel: MODE must be kernel or all'
refused 'cpc:::page_faults-1' 'no mode: the form is EVENT-MODE-\[UMASK-\]COUNT'
refused 'cpc:::page_faults*' 'must be named in full'
refused 'cpc:::' 'must be named in full'
refused 'cpc:::no_such_event-all-10000' '(no_such_event: |not installed)'
run "$DTR" -l -P cpc
for e in page_faults minor_faults major_faults context_switches cpu_migrations alignment_faults emulation_faults; do
	like "$out" " cpc +$e-all-1\$" "listed: $e"
done
like "$out" ' cpc +cpu_clock-all-1000000$' 'listed: cpu_clock'
run "$DTR" -lvn 'cpc:::context_switches-kernel-7'
like "$out" 'context_switches-kernel-7' 'listed with stability'

# ---- without libpfm4: a file of its name that is no library ----
mkdir "$work/lib"
: >"$work/lib/libpfm.so.4"
run env LD_LIBRARY_PATH="$work/lib" "$DTR" -en 'cpc:::no_such_event-all-10000 {}'
like "$status:$err" '^1:.*libpfm.so.4, .*not installed \(Debian: libpfm4\)' \
	'an event of the processor: the package is named'
run env LD_LIBRARY_PATH="$work/lib" "$DTR" -en 'cpc:::page_faults-all-1 {}'
is "$status:$err" 0: 'events of the kernel do not need it'
run env LD_LIBRARY_PATH="$work/lib" "$DTR" -en 'cpc:::PAPI_tot_cyc-all-100000 {}'
like "$status:$err" '^(0:|1:.*(no performance counters|cannot count))' 'nor do generic events'

# ---- hardware ----
hardware=$("$DTR" -l -P cpc | grep -c PAPI_tot_cyc)
if [ "$hardware" = 0 ]; then
	for e in PAPI_tot_cyc cycles instructions PAPI_l1_dcm branch-misses; do
		refused "cpc:::$e-all-100000" '(no performance counters|cannot count the event)'
	done
	skip 'cycles and instructions' 'no performance counters'
elif with_bpf 'hardware events'; then
	run "$DTR" -x ledger -qn 'cpc:::cycles-user-100000 /pid == $target/ { @c["cycles", arg0 == 0] = count(); }
		cpc:::PAPI_tot_ins-user-100000 /pid == $target/ { @c["instructions", arg0 == 0] = count(); }' \
		-c "$counted time 100"
	like "$status:$out" '^0:.*' 'cycles and instructions of a program'
	like "$out" ' cycles +1 +[1-9]' 'cycles'
	like "$out" ' instructions +1 +[1-9]' 'instructions'
	run "$DTR" -qn "$(seq 40 | sed 's/.*/cpc:::branches-all-1000&0 {}/') tick-1s { exit(0); }"
	like "$status:$err" '^1:.*no free counter on CPU' 'more events than counters'
fi

# ---- privileges ----
if with_bpf 'privileges' && [ -x "$here/tests/kernel/as_user" ]; then
	run "$here/tests/kernel/as_user" "$DTR" -qn 'cpc:::page_faults-all-1 { @ = count(); } tick-1s { exit(0); }'
	like "$status:$err" '^1:' 'refused without privileges'
fi
done_testing
