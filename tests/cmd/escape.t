# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Control characters and invalid UTF-8 are escaped if they come from a traced process or a file, since a terminal might
# interpret them. Constants of the script itself are not escaped.
. "$SRC/tests/lib/tap.sh"
need_room
cd "$work" || exit 1

# FILE: contains only printable characters, tabs and newlines, and is valid UTF-8 without control characters
is_safe() {
	[ "$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$1" | wc -c)" = 0 ] && iconv -f UTF-8 -t UTF-8 <"$1" >/dev/null \
		2>&1 &&
		! LC_ALL=C grep -aq "$(printf '\302[\200-\237]')" "$1"
}
safe() { # NAME: checks what the last command printed
	is_safe out
	ok $? "$1: output" "$(od -c out | head -20)"
	is_safe err
	ok $? "$1: messages" "$(od -c err | head -20)"
}

# ---- strings of a script: variables are data, constants are not ----
cat >strings.d <<'EOT'
#pragma D option quiet
string w, x, y, z;
int c;
BEGIN
{
	w = "\a\b"; x = "\033[31m\r\377\302\233z"; y = "na\303\257ve"; z = "a\tb\nc"; c = 27;
	printf("[%s][%20s][%-9s][%.4s][%.5s][%c]\n", x, "abc", y, x, x, c);
	printf("[%.3s][%s]\n", y, z);
	printf("\033[1m%s\033[0m%c%s\n", "\a\033[7m", 27, c ? "\r" : "\377");
	trace("\a"); trace(w); printf("\n");
	@[x, z] = count(); @b["\a"] = count();
	printa("<%s|%s|%@d>\n", @);
	print(x);
	exit(0);
}
EOT
printf '%b' \
	'[\\033[31m\\r\\377\\302\\233z][                 abc][na\0303\0257ve   '\
'][\\033][\\033[][\\033]\n[na][a\tb\nc]\n' \
	'\0033[1m\0007\0033[7m\0033[0m\0033\r\n\0007\\a\\b\n' \
	'<\\033[31m\\r\\377\\302\\233z|a\\tb\\nc|1>\nstring "\\033[31m\\r\\377\\302\\233z"\n' >want
printf '\n  %-50s                1\n' '\a' >>want
run "$DTR" -x engine=user -s strings.d
[ "$status" = 0 ] && cmp -s out want
ok $? 'constants are printed unchanged, all else escaped' "$(diff out want | od -c | head -40)"
run "$DTR" -x engine=user -o file -s strings.d
[ "$status" = 0 ] && cmp -s file want
ok $? 'the same with -o'
run "$DTR" -x engine=user -wqn 'BEGIN { x = "\033\377"; system("printf %s | od -An -to1", x); exit(0); }'
is "$(echo $out)" '033 377' 'a command gets the unescaped bytes'

# ---- a process: its name and the name of its executable ----
if_can 'names of processes' perf_events || done_testing
name=$(printf '\033]0;x\007\302\233\r\377\nz')
shown='\\033]0;x\\a\\302\\233\\r\\377\\nz'
file=$(printf 'sh\033[31m\377')
cp "$(command -v sh)" "$file"
"./$file" -c 'printf "%s" "$1" >/proc/$$/comm; while :; do :; done' sh "$name" &
spin=$!
children="$children $spin"
wait_until has_run $spin 5
script='
	profile-997 /pid == $target/ {
		@["name", execname] = count();
		@m["module", umod(uregs[R_PC])] = count();
		@u[ustack()] = count();
		printf("printf %s %16.99s|\n", execname, execname);
		trace(execname);
		n++;
	}
	profile-997 /n >= 100/ { exit(0); }
	END { printa("printa %s %s %@d\n", @); }'
engines=user
"$here/tests/kernel/can_bpf" >why && engines='bpf user' || echo "# without BPF: $(cat why)"
for engine in $engines; do
	run "$DTR" -x engine=$engine -x ledger=off -x aggsave=saved -n "$script" -p $spin
	is "$status" 0 "$engine: tracing a process"
	safe "$engine"
	like "$out" "printf $shown +$shown\\|" "$engine: process name, printf()"
	like "$out" ' 0: 1b 5d 30 3b 78 07 c2 9b 0d ff 0a 7a 00 ' "$engine: process name, trace()"
	like "$err" "description 'profile-997 ' matched 3 probes" "$engine: no blanks before a description"
	like "$out" "printa name $shown " "$engine: process name, printa()"
	like "$out" '  module +sh\\033\[31m\\377 +[0-9]' "$engine: module"
	like "$out" '^ +sh\\033\[31m\\377`' "$engine: stack"
	run "$DTR" -x engine=$engine -x ledger=off -O folded -n "$script" -p $spin
	safe "$engine, -O folded"
done

mkdir "$work/$name"
for engine in $engines; do
	cd "$work/$name" || exit 1
	run "$DTR" -x engine=$engine -qn 'BEGIN { printf("%s|%s", execname, cwd); exit(0); }'
	cd "$work" || exit 1
	[ $engine = user ] || if_can "$engine: working directory" types || continue
	like "$status$out" "^0[^|]*\\|.*/$shown\$" "$engine: working directory"
done

# ---- saved aggregations and recordings ----
run "$DTR" merge saved saved
is "$status" 0 'merge succeeds'
safe merge
like "$out" "^  name +$shown +[0-9]" 'merge: keys'
like "$out" '^ +sh\\033\[31m\\377`' 'merge: stacks'
run "$DTR" merge -qo twice saved saved
run "$DTR" diff saved twice
is "$status" 0 'diff succeeds'
safe diff
like "$out" "^  name +$shown +[0-9]" 'diff: keys'
stop $spin
cat >exec <<'EOF'
exec "$0" -c 'printf %s "$1" >/proc/$$/comm; while [ $((i += 1)) -lt 300000 ]; do :; done' sh "$1"
EOF
run "$DTR" record -x engine=user -x ledger=off -g -F 997 -o rec -c "sh -c '. ./exec' '$work/$file' '$name'"
is "$status" 0 'record succeeds'
safe record
run "$DTR" -r rec -n 'profile-997 { printf("%s", execname); @[execname, ustack()] = count(); }'
is "$status" 0 'a query of a recording succeeds'
safe 'a recording'
like "$out" "^  $shown *$" 'a recording: keys'
like "$out" '^ +sh\\033\[31m\\377`' 'a recording: stacks'

# A perf.data file with a thread of that name.
"$here/tests/fuzz/record_seed" perf | LC_ALL=C sed "s/worker/$(printf '\033]0;x\007')/g" >perf.data
run "$DTR" -r perf.data -n 'profile-997 { trace(execname); @[execname] = count(); }'
is "$status" 0 'a query of a perf.data file succeeds'
safe 'a perf.data file'
like "$out" '^  \\033\]0;x\\a +[0-9]' 'a perf.data file: keys'

# ---- messages ----
bad=$(printf 'x\033]0;x\007\302\233\r\377\n')
message() { # NAME COMMAND...: must fail with a message that contains the name above, escaped
	what=$1
	shift
	run "$@"
	is_safe err && [ "$status" != 0 ] && grep -q 'x\\033\]0;x\\a\\302\\233\\r\\377' err
	ok $? "$what: names in messages are escaped" "$status" "$(od -c err | head -20)"
}
printf 'BEGIN { x; }\n' >"$bad"
for option in -s -r; do
	message "a missing file with $option" "$DTR" $option "/nowhere/$bad" -n 'BEGIN { exit(0); }'
done
message 'a script' "$DTR" -es "$bad"
message 'a probe' "$DTR" -en "$bad:::"
message '-l' "$DTR" -ln "dtrace:::$bad"
message 'a command' "$DTR" -n 'BEGIN { exit(0); }' -c "/nowhere/$bad"
message 'an option' "$DTR" -x "$bad=1" -n 'BEGIN { exit(0); }'
message 'a tool' "$DTR" "$bad"
message 'an invalid process ID' "$DTR" -p "$bad"
message 'merge' "$DTR" merge "/nowhere/$bad"
message 'diff' "$DTR" diff "/nowhere/$bad" saved
message 'a file that is no recording' "$DTR" -r "$bad" -n 'BEGIN { exit(0); }'
message 'aggsave' "$DTR" -x engine=user -x aggsave="/nowhere/$bad" -n 'BEGIN { exit(0); }'
message '-o' "$DTR" -o "/nowhere/$bad" -n 'BEGIN { exit(0); }'
message 'an action' sh -c '"$1" -x engine=user -wqn "$2"; exit 1' sh "$DTR" \
	'BEGIN { x = "/nowhere/x\033]0;x\007\302\233\r\377"; freopen("%s", x); exit(0); }'
done_testing
