# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Memory use does not grow: what a script removes, prints or commits is freed, in dtr and in the kernel, in both
# engines. Each script creates new keys, variables and records in every round (a tick). Its memory after WARM rounds is
# compared with that after many more; rounds count from when the busy process has been sampled for a while. SOAK=N runs
# N times as many rounds, for a longer study.
# alone: dtr keeps the symbols of programs of other tests, which are sampled, too
. "$SRC/tests/lib/tap.sh"
if why=$("$here/tests/kernel/can_bpf"); then engines='bpf user'; else engines=user; echo "# without BPF: $why"; fi
WARM=150
ROUNDS=$((WARM + 400 * ${SOAK:-1}))

# The memory of a process in KB: its own, and that of its maps in the kernel.
memory_of() { # PID
	awk '$1 == "RssAnon:" { print $2 }' "/proc/$1/status" 2>/dev/null
}
maps_of() { # PID
	cat "/proc/$1/fdinfo/"* 2>/dev/null | awk '$1 == "memlock:" { n += $2 / 1024 } END { print int(n) }'
}

# soak NAME TEXT: starts the script in each engine. Its profile clauses trace a busy process.
names=
soak() {
	for engine in $engines; do
		id=$1.$engine
		mkfifo "$work/$id.fifo"
		{ grep --line-buffered '^ROUND ' <"$work/$id.fifo" >"$work/$id.rounds"; } &
		"$DTR" -x engine="$engine" -x ledger=off -x switchrate=20ms -x aggsize=8m -x dynvarsize=256k \
			-x unwindtables=4m -qn "$2
			$P/ { samples++; }
			tick-10ms /samples >= 200/ { round++; }
			tick-10ms /round == $WARM || round == $ROUNDS/ { printf(\"\\nROUND %d\\n\", round); }
			END { printf(\"\\nROUND end\\n\"); }" >"$work/$id.fifo" 2>"$work/$id.err" </dev/null &
		eval "pid_$(printf %s "$id" | tr . _)=$!"
		children="$children $!"
		names="$names $id"
	done
}

# reach N WHAT: waits until every script has run N rounds; sets WHAT_ID and WHAT_maps_ID to their memory.
reach() {
	for id in $names; do
		eval "p=\$pid_$(printf %s "$id" | tr . _)"
		wait_until sh -c "grep -q '^ROUND $1\$' '$work/$id.rounds' || ! [ -d /proc/$p ]"
		eval "$2_$(printf %s "$id" | tr . _)=$(memory_of "$p")"
		eval "$2_maps_$(printf %s "$id" | tr . _)=$(maps_of "$p")"
	done
}

spin_on 0
P="profile-499 /pid == $spin"
# rows TEXT: prints clauses that run the text ten times per round, with a new number n each time.
rows() {
	printf 'int n; '
	for i in 1 2 3 4 5 6 7 8 9 10; do printf 'tick-10ms { n++; %s } ' "$1"; done
}
# All ways to remove rows, with keys of every kind.
soak trunc "$(rows '@[n, stack(), ustack()] = quantize(n);') $P/ { @[n, stack(), ustack()] = quantize(n); }
	$(rows '@s[n] = stddev(n); @c[n, execname] = llquantize(n, 10, 0, 17, 20);')
	tick-10ms { trunc(@); trunc(@s); trunc(@c); }"
soak few "$(rows '@[n, ustack()] = quantize(n); @b[stack(), n] = llquantize(n, 10, 0, 17, 20); @c[n] = count();')
	tick-10ms { trunc(@, 5); trunc(@b, -5); trunc(@c, 1); }"
soak clear "$(rows '@[n % 64, execname] = lquantize(n % 99, 0, 99); @b[n % 64] = min(n); @c = count();')
	tick-10ms { clear(@); clear(@b); clear(@c); normalize(@b, 7); }"
soak mixed "$(rows '@[n, stack(2)] = quantize(n); @b[n, execname] = llquantize(n, 10, 0, 17, 20);')
	$P/ { @u[n, ustack()] = sum(n); }
	tick-10ms { normalize(@, 1000); printa(@); denormalize(@); trunc(@, 3); clear(@); }
	tick-30ms { printa(\"%d %@d\\n\", @b); clear(@b); trunc(@b); trunc(@); printa(@u); trunc(@u, 2); }"
# Speculations, variables of every kind, records and faults.
soak spec "self int s; $P && !self->s/ { self->s = speculation(); }
		$P && self->s/ { speculate(self->s); stack(); ustack(); trace(timestamp); }
		$P && self->s && ++n % 2/ { commit(self->s); }
		$P && self->s && n % 2 == 0/ { discard(self->s); }
		$P/ { self->s = 0; }"
soak arrays "$(rows 'a[n] = 1; s[n] = execname; t[n, execname] = n; b[n - 5] = 0; two[n % 7, n] = pid; self->v = n;')
	$(rows 'a[n - 10] = 0; s[n - 10] = 0; t[n - 10, execname] = 0; self->v = 0; self->w[n] = 1; self->w[n] = 0;')"
soak records "$P/ { trace(execname); stack(); ustack(); usym(arg1); umod(arg1); sym(arg0); }
	$P/ { printf(\"%k %p %s\", stack(), arg0, execname); }
		$P/ { trace(*(int *)0); } ERROR { trace(arg4); }"
# Processes that begin elsewhere meanwhile are recorded, to resolve addresses in their stacks later: a few KB each.
started() { awk '$1 == "processes" { print $2 }' /proc/stat; }
reach $WARM warm
before=$(started)
reach "$ROUNDS" after
others=$((8 * ($(started) - before)))
for id in $names; do
	var=$(printf %s "$id" | tr . _)
	eval "p=\$pid_$var warm=\$warm_$var after=\$after_$var maps=\$warm_maps_$var maps_after=\$after_maps_$var"
	kill "$p" 2>/dev/null
	wait "$p"
	status=$?
	err=$(tail -n 5 "$work/$id.err")
	is "$status" 0 "$id: dtr exits with 0"
	between "$after" 1 $((warm + warm / 8 + 6144 + others)) \
		"$id: memory after $ROUNDS rounds, KB ($warm after $WARM)"
	between "$maps_after" 0 $((maps + maps / 8 + 4096)) \
		"$id: maps in the kernel after $ROUNDS rounds, KB ($maps after $WARM)"
done
done_testing
