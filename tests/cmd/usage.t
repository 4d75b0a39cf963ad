# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command without tracing: options, exit statuses, lists, messages.
. "$SRC/tests/lib/tap.sh"

run "$DTR" --version
is "$status" 0 '--version ends with 0'
like "$out" '^dtr [0-9]+\.[0-9]+\.[0-9]+$' '--version names the version'
version=$out
run "$DTR" -V
is "$status:$out" "0:$version" '-V does the same'
run "$DTR" --help
is "$status" 0 '--help ends with 0'
like "$out" '^  -n probe +enable probes' '--help describes -n'
unlike "$out" '(^|[[:space:]])accepted[;,]' '--help names no option without effect'
wide=
for words in --help 'record --help' 'merge --help' 'diff --help' 'report --help' '-l --tools' '-x profsrc=help' \
	$("$DTR" -l --tools | awk '{ print $1 "+-h" }') ''; do
	# shellcheck disable=SC2086
	wide=$wide$("$DTR" $(echo "$words" | tr + ' ') 2>&1 | awk -v words="$words" 'length > 79 {
		print words ": " $0 }')
done
is "$wide" '' 'help fits into 80 columns, including that of tools and subcommands'
run "$DTR" --help
undescribed=
for o in $(printf '%s\n' "$out" | sed -n '1,/^$/s/[][|]/ /gp' | tr ' \t' '\n\n' | sed -n 's/^-\([A-Za-z]*\)$/\1/p' |
	sed 's/./& /g'); do
	printf '%s\n' "$out" | sed '1,/^$/d' | grep -Eq -- "(^|[^A-Za-z-])-$o([^A-Za-z]|\$)" ||
		undescribed="$undescribed -$o"
done
is "$undescribed" '' '--help describes each option of the usage line'
for o in -V --help; do
	run sh -c '"$0" "$1" >/dev/full' "$DTR" $o
	is "$status" 1 "$o to a full disk ends with 1"
	like "$err" '^dtr: failed to write output: ' "$o to a full disk reports the error"
done
run "$DTR"
is "$status" 2 'no arguments are a usage error'
like "$err" 'dtr help \[topic\]' 'the usage mentions the documentation'
run "$DTR" -y
is "$status" 2 'an unknown option is a usage error'
run "$DTR" --tols
like "$status:$err" "^2:dtr: unknown option --tols \(did you mean '--tools'\?\)" 'and the nearest long option is named'
while read -r words; do
	# shellcheck disable=SC2086
	run "$DTR" $words
	like "$status:$err" "^2:dtr.*: unknown option ${words##* }( |\$)" "dtr $words"
done <<'EOF'
--help=x
--nosuch
merge --by-host=x
report --nosuch
record --nosuch
record --help=x
exact --help=x
gmon --help=x
trace --help=x
EOF
for o in -h -G; do
	run "$DTR" $o -n 'BEGIN'
	is "$status" 2 "$o needs a script"
	like "$err" "option $o needs a script" "$o says why"
done
run "$DTR" -e -n 'BEGIN { exit(0); }'
is "$status" 0 '-e compiles and stops'
is "$out" '' '-e prints nothing'
run "$DTR" -e -n 'BEGIN { x = ; }'
is "$status" 1 'a syntax error ends with 1'
like "$err" '^dtr: invalid probe specifier BEGIN \{ x = ; \}: line 1: ' \
	'a syntax error is reported in the format of dtrace'
run "$DTR" -e -xerrtags -n 'BEGIN { x = ; }'
like "$err" ': \[D_SYNTAX\] line 1: ' 'a syntax error has its tag with -xerrtags'
printf 'BEGIN\n{\n\ttrace(nosuch);\n}\n' >"$work/bad.d"
run "$DTR" -e -s "$work/bad.d"
is "$status" 1 'a script with an error ends with 1'
like "$err" "^dtr: failed to compile script $work/bad.d: line 3: " 'the error names file and line'
like "$err" '^ +\|[[:space:]]+\^' 'a caret marks the error'
run "$DTR" -e -xerrtags -n 'tick-1us'
like "$err" \
	'\[D_PDESC_ZERO\] line 1: probe description :::tick-1us does not match any probes: interval 1000 ns is below '\
'the 200 us floor' \
	'an interval below the limit is reported'
run "$DTR" -eZ -n 'tick-1us'
is "$status" 0 'with -Z an interval below the limit is no error'
run "$DTR" -e -n 'nosuch:::probe'
is "$status" 1 'an unknown provider is an error'
run "$DTR" -e -s /nonexistent.d
is "$status" 1 'a missing script is an error'
like "$err" 'No such file' 'the error says that the script does not exist'
# A number is a probe ID only with -i and -n. With -P, -m and -f it is a name; there are modules with such names.
for o in -P -m -f; do
	for v in 5 8021q 'x,5'; do
		run "$DTR" $o $v -n 'BEGIN { exit(0); }'
		is "$status:$out" 1: "$o $v enables nothing"
		like "$err" "does not match any probes" "$o $v is an unknown name"
	done
done
run "$DTR" -l -i 1
like "$out" '^ +1 +dtrace +BEGIN$' '-i 1 is probe ID 1'
run "$DTR" -l -n 1
like "$out" '^ +1 +dtrace +BEGIN$' '-n 1 is probe ID 1'
run "$DTR" -e -n 5x
is "$status:$(printf '%s\n' "$err" | grep -c '^dtr: ')" 1:1 'an invalid probe ID is reported once'
run "$DTR" -xnosuch=1 -e -n BEGIN
like "$err" 'nosuch' 'an unknown -x option is named'
is "$status" 2 'an unknown -x option is a usage error'
run "$DTR" -xbufsiz=1m -e -n BEGIN
like "$err" "did you mean 'bufsize'" 'the most similar option is suggested'
for command in '' ' ' "a 'b"; do
	run "$DTR" -c "$command" -qn 'BEGIN { exit(0); }'
	is "$status:$err" "2:dtr: invalid command '$command': empty, or unterminated quote" \
		'a command without a program is a usage error'
done
run env DTR_OPT_STRSIZE=banana "$DTR" -e -n BEGIN
is "$status" 2 'DTR_OPT_* values are checked'
like "$err" "^dtr: invalid value 'banana' for option 'strsize'" 'an invalid DTR_OPT_* value is named'
run "$DTR" -e -n 'BEGIN { trace($1); }'
is "$status" 1 'a missing $1 is an error'
run "$DTR" -e -n 'BEGIN { trace($1); }' 5
is "$status" 0 'a given $1 is accepted'
run "$DTR" -e -n 'BEGIN' extra
is "$status" 1 'an argument that nothing uses is an error'
ln -s "$DTR" "$work/dtrace"
run "$work/dtrace" -e -n 'BEGIN { x = ; }'
like "$err" '^dtrace: invalid probe specifier' 'messages begin with the name by which dtr was called'

undocumented=
formats=$("$DTR" --help | sed -n '/^  -O format/,/oformat)/p' |
	sed 's/.*output format://; s/\(or\)\{0,1\} *(-x oformat)//' | tr -d ,)
like "$formats" text 'the help lists the formats'
for format in $formats; do
	grep -q "^| .oformat. .*\`$format\`" "$SRC/docs/options.md" || undocumented="$undocumented options.md:$format"
	grep -qx "\.Cm $format\( [;,.]\)\{0,1\}" "$SRC/docs/dtr.8" || undocumented="$undocumented dtr.8:$format"
	run "$DTR" -O "$format" -e -n BEGIN
	is "$status" 0 "-O $format exists"
done
formats=$(echo $formats)
like "$formats:$undocumented" '^text json .*[a-z]:$' 'options.md and dtr.8 describe every output format'
printf 'old\n' >"$work/list"
run "$DTR" -l -n nosuch -o "$work/list"
is "$status:$(cat "$work/list")" 1:old '-l writes no header if nothing matches'
run "$DTR" -l -n nosuch -n BEGIN
like "$status:$out" '^1:   ID   PROVIDER ' '-l writes a header if any description matches'
like "$err" '^dtr: failed to match :::nosuch: ' '-l reports a description that does not match'
run "$DTR" -l -P profile
is "$status" 0 '-l -P profile lists'
like "$out" '^   ID   PROVIDER            MODULE                          FUNCTION NAME$' \
	'-l -P profile writes a header'
like "$out" '^ *[0-9]+ +profile +profile-97$' '-l -P profile lists profile-97'
like "$out" '^ *[0-9]+ +profile +tick-5000$' '-l -P profile lists tick-5000'
run "$DTR" -l -n 'profile:::'
is "$(printf '%s\n' "$out" | wc -l)" 14 'the list has a header, seven profile and six tick probes'
run "$DTR" -l -n 'profile:::profile-123'
like "$out" 'profile-123$' 'a probe is created on first use'
run "$DTR" -l
like "$out" '^ +1 +dtrace +BEGIN$' '-l lists BEGIN as number 1'
like "$out" '^ +3 +dtrace +ERROR$' '-l lists ERROR as number 3'
run "$DTR" -lv -n 'profile:::profile-97'
like "$out" 'Identifier Names: +Evolving' '-lv shows stability'
is "$(printf '%s\n' "$out" | grep -A1 'Argument Types' | tail -n 1)" '		None' \
	'-lv shows that profile has no argument types'
run "$DTR" -lv -n sched:::off-cpu
like "$out" '^		args\[0\]: lwpsinfo_t \*$' '-lv shows the argument types of sched probes'
# -d STAGE: each stage shows something specific to it
while read -r s what; do
	run "$DTR" -d "$s" -e -n 'profile-97 /pid != 0/ { @[pid, execname] = count(); }'
	is "$status" 0 "-d $s dumps"
	like "$out" "$what" "-d $s shows $what"
	printf '%s\n' "$out" >"$work/stage.$s"
done <<'END'
P ^      name pid$
T variable pid : pid_t$
I ^func "profile-97" perf \{$
O ^func "profile-97" perf \{$
B ^program profile-97 +[0-9]+ instructions$
END
ok "$([ "$(wc -l <"$work/stage.O")" -lt "$(wc -l <"$work/stage.I")" ]; echo $?)" \
	'-d O shows less than -d I, as it is optimised'
run "$DTR" -d Q -e -n BEGIN
is "$status" 2 '-d with an unknown stage is a usage error'
for o in -a -A; do
	run "$DTR" $o -n BEGIN
	is "$status" 2 "$o is refused"
	like "$err" 'anonymous tracing' "$o says why"
done
run "$DTR" -x grabanon -n BEGIN
like "$err" 'anonymous tracing' '-x grabanon is refused with a reason'
run "$DTR" -x nosuch
like "$status:$err" '^2:dtr: no probes specified' 'options without a probe: the error says what is missing'
run "$DTR" BEGIN
like "$status:$err" '^2:dtr: no probes specified' 'a probe without -n: the error says what is missing'
run "$DTR"
like "$status:$err" '^2:Usage: ' 'no arguments: usage is printed'
done_testing
