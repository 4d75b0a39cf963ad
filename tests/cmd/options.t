# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options that change what is traced and kept, on this kernel; scripts that name their interpreter.
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
like "$out" "^END $last\$" 'END too'
is "$(printf '%s\n' "$out" | grep -c '^p ')" 1 'profile fires on one CPU'
like "$out" "^p $last [1-9]" 'on that one'
like "$out" "^t $last [1-9]" 'tick too'
run "$DTR" -x cpu=65535 -n BEGIN
is "$status" 1 'a CPU that is not there'
like "$err" "option 'cpu': CPU 65535 is not online" 'is named'

# The newest records of each CPU, without a hole.
run "$DTR" -q -b 4k -x bufpolicy=ring -x cpu=$last -x ledger=off -n 'profile-4999 { n++; printf("%d\n", n); }
	profile-4999 /n >= 2000/ { exit(0); }
END { printf("last %d\n", n); }'
n=$(printf '%s\n' "$out" | grep -vc last)
between "$n" 100 200 'bufpolicy=ring keeps a buffer of records'
is "$(printf '%s\n' "$out" | grep -v last | awk 'NR > 1 && $1 != p + 1 { print "hole" } { p = $1 }')" '' \
	'one behind the other'
is "$(printf '%s\n' "$out" | grep -v last | tail -1)" "$(printf '%s\n' "$out" | sed -n 's/last //p')" 'up to the last'
# The oldest: tracing ends by itself.
run "$DTR" -q -b 4k -x bufpolicy=fill -x cpu=$last -x ledger=off -n 'profile-4999 { n++; printf("%d\n", n); } END {
	printf("last %d\n", n); }'
is "$status" 0 'bufpolicy=fill ends by itself'
is "$(printf '%s\n' "$out" | head -1)" 1 'with the first record in front'
between "$(printf '%s\n' "$out" | grep -vc last)" 100 200 'and a buffer of records'
unlike "$status:$err" drop 'without drops'
stop $spin

printf '#!%s -qs\nBEGIN\n{\n\tprintf("%%s %%s\\n", $$0, $$1);\n\texit(4);\n}\n' "$DTR" >"$work/script.d"
chmod +x "$work/script.d"
run "$work/script.d" word
is "$status" 4 'a script that names dtr -qs as its interpreter'
is "$out" "$work/script.d word" 'has its name and its arguments'
if ! any_of cpp gcc clang cc; then
	skip 'by env -S, with the preprocessor' 'no C preprocessor'
elif ! env -S true 2>/dev/null; then
	skip 'by env -S, with the preprocessor' 'no env -S'
else
	printf '#!/usr/bin/env -S %s -Cqs\n#define STATUS 6\nBEGIN\n{\n\texit(STATUS);\n}\n' "$DTR" >"$work/env.d"
	chmod +x "$work/env.d"
	run "$work/env.d"
	is "$status" 6 'by env -S, with the preprocessor'
fi
run "$DTR" -qwZxstrsize=64 -n 'nosuch:::x { exit(1); } BEGIN { exit(2); }'
is "$status" 2 'options in one word'
run "$DTR" -S -n 'BEGIN { exit(0); }'
is "$status" 0 '-S runs the program'
like "$err" '^program BEGIN +[0-9]+ instructions$' '-S shows it on standard error'
run "$DTR" -F -n 'BEGIN { trace("x"); exit(0); }'
like "$out" '^CPU FUNCTION +$' '-F has a header of its own'
like "$out" '^ *[0-9]+ \| :BEGIN +x' 'and lines'
run "$DTR" -q -i '1 { printf("%s", probename); exit(0); }'
is "$out" BEGIN '-i with a clause'
run "$DTR" -q -P 'dtrace /probename == "BEGIN"/ { printf("%s", probename); exit(0); }'
is "$out" BEGIN '-P with a predicate and a clause'
run "$DTR" -q -m 'dtrace: { printf("%s ", probename); exit(0); }'
is "$out" 'BEGIN END ' '-m'
run "$DTR" -q -f 'dtrace:: { printf("%s ", probename); exit(0); }'
is "$out" 'BEGIN END ' '-f'
run "$DTR" -q -n '1, END { printf("%s ", probename); exit(0); }'
is "$out" 'BEGIN END ' 'a number in a list'
done_testing
