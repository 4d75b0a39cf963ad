# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Actions with side effects: commands, files, options, signals, delays. The destructive ones are refused without -w.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1

for a in 'system("true")' 'freopen("x")' 'stop()' 'raise(9)' 'chill(1)' 'copyout(alloca(8), 0, 8)'; do
	run "$DTR" -n "BEGIN { $a; }"
	is "$status" 1 "$a needs -w"
	like "$err" 'is destructive: it needs -w' "$a: the error says so"
done
run "$DTR" -x destructive -qn 'BEGIN { system("true"); exit(0); }'
is "$status" 0 '-x destructive has the same effect as -w'
run "$DTR" -wn 'BEGIN { panic(); }'
like "$err" 'panic\( \) is not supported: .*cannot crash the kernel' 'panic() is refused with a reason'
run "$DTR" -wn 'BEGIN { breakpoint(); }'
like "$err" 'breakpoint\( \) is not supported: .*debugger' 'breakpoint() is refused with a reason'

# Commands run in the order of the records, with formatted values.
run "$DTR" -wqn 'BEGIN { printf("1\n"); system("echo %d %s", 2, "two"); printf("3\n"); system("exit 7"); exit(0); }'
is "$out" '1
2 two
3' 'system()'
is "$status" 0 'a command that fails does not change the exit status'
run "$DTR" -wn 'BEGIN { system("echo x"); exit(0); }'
is "$(printf '%s\n' "$out" | sed '2s/^ *[0-9]* /CPU/')" 'CPU     ID                    FUNCTION:NAME
CPU     1                           :BEGIN x' 'the output of a command follows the line of its probe'
run "$DTR" -wqn 'BEGIN { system("kill -INT $$; echo survived"); exit(0); }'
is "$out" '' 'SIGINT kills a command as in a shell'
is "$status" 0 'but not dtr'

run "$DTR" -wqn 'BEGIN { printf("0\n"); freopen("%s.%d", "f", 1); printf("one\n"); system("echo command");
	freopen("f.2"); printf("two\n");
	freopen("f.1"); printf("again\n"); freopen(""); printf("3\n"); freopen(""); printf("4\n"); exit(0); }'
is "$out" '0
3
4' 'freopen() redirects output and restores it'
is "$(cat f.1)" 'one
command
again' 'the first file gets the output, including that of a command'
is "$(cat f.2)" two 'so does the second file'
run "$DTR" -wqn 'BEGIN { freopen("%s", ".."); freopen("/nowhere/at/all"); printf("still here\n"); exit(0); }'
is "$out" 'still here' 'output goes on as before if a file cannot be opened'
like "$err" "error on enabled probe ID 1 .*: couldn't freopen\\(\\) \"..\": Is a directory" 'the failure is reported'
like "$err" "couldn't freopen\\(\\) \"/nowhere/at/all\": No such file" 'each failure is reported'
run "$DTR" -wqn 'BEGIN { freopen("f.3"); @["in the file"] = count(); exit(0); }'
like "$(cat f.3)" 'in the file' 'aggregations are written to the file, too'
is "$out" '' 'but not to standard output'

"$DTR" -qn 'BEGIN { printf("gone\n"); ftruncate(); printf("stays\n"); exit(0); }' >f.4
is "$(cat f.4)" stays 'ftruncate() empties a file'
is "$("$DTR" -qn 'BEGIN { printf("a "); ftruncate(); printf("b\n"); exit(0); }' | cat)" 'a b' \
	'ftruncate() has no effect on a pipe'

run "$DTR" -n 'BEGIN { setopt("quiet"); exit(0); } END { printf("q\n"); }'
is "$(printf '%s\n' "$out" | tail -n 1)" q 'setopt("quiet")'
run "$DTR" -qn 'BEGIN { setopt("quiet", "no"); } BEGIN { trace(1); exit(0); }'
like "$out" ':BEGIN +1' 'setopt() with a value'
run "$DTR" -qn 'BEGIN { @["a"] = sum(2); @["b"] = sum(1); setopt("aggsortkey"); setopt(strjoin("aggsort", "rev"));
	exit(0); }'
is "$(printf '%s\n' "$out" | awk 'NF { printf "%s", $1 }')" ba 'setopt() of a computed name'
run "$DTR" -qn 'BEGIN { setopt("printsize", "2k"); setopt("printsize", "8"); exit(0); }'
like "$err" "\"printsize\" to \"2k\": cannot be raised while probes are active" \
	'setopt("printsize") cannot make records longer'
is "$(printf '%s\n' "$err" | wc -l)" 1 'but it can shorten the output'
run "$DTR" -qn 'BEGIN { setopt("nixon"); setopt("quiet", "um, no"); setopt("bufsize", "1m"); exit(0); }'
is "$status" 0 'options that cannot be set do not end the session'
like "$err" "couldn't set option \"nixon\" to \"1\": unknown option" 'setopt() of an unknown option is reported'
like "$err" "couldn't set option \"quiet\" to \"um, no\": invalid value" 'setopt() with an invalid value is reported'
like "$err" "couldn't set option \"bufsize\" to \"1m\": cannot be changed" \
	'setopt() of an option that is fixed while tracing is reported'

# Signals are sent to the process in which the probe fired.
cat >spin.sh <<'END'
trap 'echo caught >>caught; exit 3' USR1
echo ready >ready
while :; do :; done
END
sh spin.sh &
child=$!
children="$children $child"
wait_for ready ready
run "$DTR" -wqn "profile-997 /pid == $child/ { raise(10); exit(0); }" -x ledger=off
wait "$child"
is "$?" 3 'raise(SIGUSR1) ends the process through its trap'
is "$(cat caught)" caught 'the process caught the signal'

sh -c 'while :; do :; done' &
child=$!
children="$children $child"
run "$DTR" -wqn "profile-997 /pid == $child/ { stop(); printf(\"stopped\"); exit(0); }" -x ledger=off
is "$out" stopped 'stop() runs'
stopped() { [ "$(awk '{ print $3 }' "/proc/$child/stat")" = T ]; }
wait_until stopped
is "$(awk '{ print $3 }' "/proc/$child/stat")" T 'the process is stopped'

# chill() may take at most half a second of every second.
if with_bpf "chill() cannot hold up who is sampled"; then
	start=$(date +%s%N)
	run "$DTR" -wqn 'BEGIN { chill(200000000); } BEGIN { chill(200000000); } BEGIN { chill(200000000); exit(1); }
		BEGIN { exit(0); }'
	took=$(($(date +%s%N) - start))
	is "$status" 0 'chill() over its limit ends its clause'
	like "$err" 'ID 3 .*illegal operation in action #1' 'the fault is an illegal operation'
	between $((took / 1000000)) 400 100000 'the other chill() calls took the requested time'
	run "$DTR" -wqn 'BEGIN { chill(-1); exit(1); } BEGIN { chill(500000001); exit(1); } BEGIN { chill(0);
		exit(0); }'
	is "$status" 0 'chill() rejects a negative or too long time'
	run "$DTR" -wqn 'BEGIN { self->t = vtimestamp; chill(1000000); } profile-97 { this->t = 1; } tick-1s {
		exit(0); }
		BEGIN { exit(0); }'
	! if_can 'chill() next to other probes and variables' types ||
		is "$status" 0 'chill() next to other probes and variables'
	run "$DTR" -wqn 'BEGIN { this->w = walltimestamp; this->t = timestamp; chill(2000000);
		printf("%d %d", walltimestamp - this->w >= 2000000, timestamp == this->t); exit(0); }'
	is "$out" '1 1' 'walltimestamp advances within a clause, timestamp does not'
else
	run "$DTR" -wqn 'BEGIN { chill(1); exit(0); }'
	like "$status:$err" '^1:.*chill\(\) is available only with BPF' 'chill() is refused'
fi

# print() of a pointer shows the address and what it points to.
run "$DTR" -qn 'enum e { NONE, SOME = 3 }; struct s { int a; char b[5]; struct { void *p; unsigned long n; } s;
	enum e e; short zero; int c[3]; };
	BEGIN { t = (struct s *)alloca(sizeof (struct s)); t->a = -1; t->b[0] = 116; t->b[1] = 10;
	t->s.p = (void *)0x1000; t->s.n = 7;
	t->e = SOME; t->c[1] = 2; print(t); exit(0); }'
is "$(printf '%s\n' "$out" | sed '1s/^0x[0-9a-f]* /ADDRESS /')" "ADDRESS = *
                                            (struct s) {
                                             .a = (int)-1,
                                             .b = (char [5]) [
                                              (char)'t',
                                              (char)10,
                                             ],
                                             .s = (struct) {
                                              .p = (void *)0x1000,
                                              .n = (unsigned long)7,
                                             },
                                             .e = (enum e)SOME,
                                             .c = (int [3]) [
                                              (int)2,
                                             ],
                                            }" 'print() of a pointer'
run "$DTR" -x printsize=8 -qn 'struct s { int a, b, c; }; BEGIN { t = (struct s *)alloca(12); t->a = 1; t->b = 2;
	t->c = 3; print(t); print(*t); exit(0); }'
is "$(printf '%s\n' "$out" | grep -c '^ *\.\.\.$')" 2 'printsize truncates the value'
like "$out" 'b = \(int\)2' 'members within printsize are shown'
unlike "$out" '3' 'members beyond printsize are not'
if with_bpf 'of the structure only some members are known'; then
	run "$DTR" -qn 'BEGIN { print(*curthread->nsproxy->uts_ns); exit(0); }'
	like "$out" 'char \[65\] release = \[ "'"$(uname -r | sed 's/[.+]/[&]/g')"'" \]' 'print() of a kernel structure'
fi
done_testing
