# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options that change what is traced and kept, on this kernel; scripts with an interpreter line.
. "$SRC/tests/lib/tap.sh"
need_kernel

last=$(($(nproc) - 1))
spin_on $last
run "$DTR" -q -x cpu=$last -x ledger=off -n 'BEGIN, END { printf("%s %d\n", probename, cpu); }
profile-997 { @p[cpu] = count(); samples++; } tick-50ms { @t[cpu] = count(); ticks++; } tick-50ms /ticks > 5 &&
	samples > 100/ { exit(0); }
END { printa("p %d %@d\n", @p); printa("t %d %@d\n", @t); }'
is "$status" 0 '-x cpu traces'
like "$out" "^BEGIN $last\$" 'BEGIN runs on that CPU'
like "$out" "^END $last\$" 'END runs on that CPU'
is "$(printf '%s\n' "$out" | grep -c '^p ')" 1 'profile fires on one CPU'
like "$out" "^p $last [1-9]" 'profile fires on that CPU'
like "$out" "^t $last [1-9]" 'tick fires on that CPU'
run "$DTR" -x cpu=65535 -n BEGIN
is "$status" 1 'a CPU that does not exist is an error'
like "$err" "option 'cpu': CPU 65535 is not online" 'the error names the CPU'

# bufpolicy=ring keeps the newest records of each CPU, without gaps.
run "$DTR" -q -b 4k -x bufpolicy=ring -x cpu=$last -x ledger=off -n 'profile-4999 { n++; printf("%d\n", n); }
	profile-4999 /n >= 2000/ { exit(0); }
END { printf("last %d\n", n); }'
n=$(printf '%s\n' "$out" | grep -vc last)
between "$n" 100 200 'bufpolicy=ring keeps a buffer of records'
is "$(printf '%s\n' "$out" | grep -v last | awk 'NR > 1 && $1 != p + 1 { print "hole" } { p = $1 }')" '' \
	'bufpolicy=ring keeps consecutive records'
is "$(printf '%s\n' "$out" | grep -v last | tail -1)" "$(printf '%s\n' "$out" | sed -n 's/last //p')" \
	'bufpolicy=ring keeps the last record'
# bufpolicy=fill keeps the oldest records, and tracing ends by itself.
run "$DTR" -q -b 4k -x bufpolicy=fill -x cpu=$last -x ledger=off -n 'profile-4999 { n++; printf("%d\n", n); } END {
	printf("last %d\n", n); }'
is "$status" 0 'bufpolicy=fill ends by itself'
is "$(printf '%s\n' "$out" | head -1)" 1 'bufpolicy=fill keeps the first record'
between "$(printf '%s\n' "$out" | grep -vc last)" 100 200 'bufpolicy=fill keeps a buffer of records'
unlike "$status:$err" drop 'bufpolicy=fill reports no drops'
stop $spin

printf '#!%s -qs\nBEGIN\n{\n\tprintf("%%s %%s\\n", $$0, $$1);\n\texit(4);\n}\n' "$DTR" >"$work/script.d"
chmod +x "$work/script.d"
run "$work/script.d" word
is "$status" 4 'a script with dtr -qs as its interpreter runs'
is "$out" "$work/script.d word" '$0 and $1 of a script with dtr -qs as its interpreter'
if ! any_of cpp gcc clang cc; then
	skip 'a script run by env -S with the preprocessor' 'no C preprocessor'
elif ! env -S true 2>/dev/null; then
	skip 'a script run by env -S with the preprocessor' 'no env -S'
else
	printf '#!/usr/bin/env -S %s -Cqs\n#define STATUS 6\nBEGIN\n{\n\texit(STATUS);\n}\n' "$DTR" >"$work/env.d"
	chmod +x "$work/env.d"
	run "$work/env.d"
	is "$status" 6 'a script run by env -S with the preprocessor'
fi
run "$DTR" -qwZxstrsize=64 -n 'nosuch:::x { exit(1); } BEGIN { exit(2); }'
is "$status" 2 'several options in one word'
run "$DTR" -S -n 'BEGIN { exit(0); }'
is "$status" 0 '-S runs the program'
like "$err" '^program BEGIN +[0-9]+ instructions$' '-S shows it on standard error'
run "$DTR" -F -n 'BEGIN { trace("x"); exit(0); }'
like "$out" '^CPU FUNCTION +$' '-F prints its own header'
like "$out" '^ *[0-9]+ \| :BEGIN +x' '-F marks each line'
run "$DTR" -q -i '1 { printf("%s", probename); exit(0); }'
is "$out" BEGIN '-i with a clause'
run "$DTR" -q -P 'dtrace /probename == "BEGIN"/ { printf("%s", probename); exit(0); }'
is "$out" BEGIN '-P with a predicate and a clause'
run "$DTR" -q -m 'dtrace: { printf("%s ", probename); exit(0); }'
is "$out" 'BEGIN END ' '-m with a clause'
run "$DTR" -q -f 'dtrace:: { printf("%s ", probename); exit(0); }'
is "$out" 'BEGIN END ' '-f with a clause'
run "$DTR" -x cutmark -x strsize=16 -qn 'BEGIN {
	s = strjoin("0123456789", "abcde"); t = strjoin("0123456789", "abcd");
	printf("<%s> <%s> <%s>\n", s, t, "0123456789abcde"); trace(s); exit(0); }'
is "$(printf '%s\n' "$out" | head -n 2 | tr '\n' ' ')" \
	'<0123456789abcde...> <0123456789abcd> <0123456789abcde> 0123456789abcde... ' \
	'cutmark: strings that fill strsize are marked, literals are not'
run "$DTR" -x strsize=16 -qn 'BEGIN { printf("<%s>\n", strjoin("0123456789", "abcdefgh")); exit(0); }'
is "$out" '<0123456789abcde>' 'without it, none is'
run "$DTR" -x bpflog -x bpflogsize=1m -x disasm=8 -x linknommap -x lockmem=unlimited -qn 'BEGIN { exit(0); }'
is "$status:$out$err" 0: 'options of other DTraces'
run env DTR_TEST_GONE=1 DTR_TEST_KEPT=2 DTR_TEST_NEW=3 "$DTR" -x setenv=DTR_TEST_NEW=4=5 \
	-x setenv=DTR_TEST_X= -x setenv=DTR_TEST_Y=1 -x unsetenv=DTR_TEST_GONE -x unsetenv=DTR_TEST_Y \
	-x unsetenv=DTR_TEST_NONE \
	-qn 'BEGIN { }' -c 'env'
is "$(printf '%s\n' "$out" | grep ^DTR_TEST | sort | tr '\n' ' ')" \
	'DTR_TEST_KEPT=2 DTR_TEST_NEW=4=5 DTR_TEST_X= ' '-x setenv and unsetenv change the environment of -c'
run "$DTR" -x setenv=NAME -n 'BEGIN { exit(0); }'
like "$err" "invalid value 'NAME' for option 'setenv': expected NAME=VALUE" 'setenv without a value'
run "$DTR" -x unsetenv=NAME=1 -n 'BEGIN { exit(0); }'
like "$err" "invalid value 'NAME=1' for option 'unsetenv'" 'unsetenv with a value'
if any_of cpp gcc clang cc; then
	run "$DTR" -C -x cppargs=-DX=42 -x cppargs=-DY=1 -qn 'BEGIN { trace(X + Y); exit(0); }'
	is "$out" 43 '-x cppargs'
else
	skip '-x cppargs' 'no C preprocessor'
fi
if if_can '-x noresolve' perf_events; then
	run "$DTR" -x noresolve -qn 'profile-997 /pid == $target && arg1/ { @[ustack(1)] = count(); }' \
		-c "$here/tests/symbols/chain 300"
	is "$(printf '%s\n' "$out" | grep -c '^ *0x')-$(printf '%s\n' "$out" | grep -c '`')" \
		"$(printf '%s\n' "$out" | grep -cE '^ *[0-9]+$')-0" '-x noresolve: addresses only'
fi
run "$DTR" -q -n '1, END { printf("%s ", probename); exit(0); }'
is "$out" 'BEGIN END ' 'a probe ID in a list of probes'
# ---- options of other systems, as docs/options.md lists them ----
listed() { sed -n "/^$1/,/^\$/p" "$SRC/docs/options.md" | grep -o '`[a-z]*`' | tr -d '`'; }
wrong=
n=0
for option in $(listed 'Accepted for compatibility'); do
	run "$DTR" -x "$option" -e -n BEGIN
	[ "$status:$err" = 0: ] || wrong="$wrong $option"
	run "$DTR" -x "$option=any" -e -n BEGIN
	[ "$status:$err" = 0: ] || wrong="$wrong $option=any"
	n=$((n + 1))
done
is "$wrong" '' 'options without effect are accepted'
like "$n" '^[2-9][0-9]$' 'there are some'
for option in $(listed 'Rejected with a reason'); do
	run "$DTR" -x "$option" -e -n BEGIN
	like "$status:$err" "^2:dtr: option '$option': [a-z]" "$option is rejected with a reason"
done

done_testing
