#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The table of commands: a help names options that exist, all mistakes get the same texts, and dtr can be built without
# the large commands.
. "$SRC/tests/lib/tap.sh"
build=$(cd "$(dirname "$DTR")" && pwd)

COMMANDS='record report merge diff gmon serve stat kgmon prog top trace'

# ---- help and mistakes ----
for command in $COMMANDS; do
	run "$DTR" "$command" --help
	is "$status:$err" 0: "$command --help"
	help=$out
	wrong=
	for option in $(printf '%s\n' "$help" | grep -oE '^  --?[A-Za-z][a-z-]*' | tr -d ' ' | sort -u); do
		case $option in
		-h | --help) continue ;;
		esac
		# the first word may be its value; the second is refused
		run "$DTR" "$command" "$option" --no-such-option --no-such-option
		case $err in
		*"unknown option $option"*) wrong="$wrong $option" ;;
		esac
	done
	is "$wrong" '' "$command: the options of the help exist"
	run "$DTR" "$command" --no-such-option
	like "$status:$err" "^2:dtr $command: unknown option --no-such-option \(see dtr $command (-h|--help)\)$" \
		"$command: an unknown option"
	run "$DTR" help "$command"
	is "$(printf '%s\n' "$out" | head -n 3)" "$(printf '%s\n' "$help" | head -n 3)" "help $command"
	run "$DTR" --complete "$command"
	like "$out" "^$command	[a-z]" "$command: completed, with a summary"
done
run "$DTR" record -F
is "$status:$err" '2:dtr record: option -F needs a value (see dtr record -h)' 'a letter without its value'
run "$DTR" record --duration
is "$status:$err" '2:dtr record: option --duration needs a value (see dtr record -h)' 'a name without its value'
run "$DTR" record --durration 1
is "$status:$err" "2:dtr record: unknown option --durration (did you mean '--duration'?) (see dtr record -h)" \
	'the nearest name'
run "$DTR" gmon x
is "$status:$err" "2:dtr gmon: unexpected argument 'x' (see dtr gmon -h)" 'an operand'

# ---- without the large commands ----
# What is left is linked with the objects of this build, so nothing else may need them.
large='serve stat kgmon prog top trace'
cc=$(sed -n 's/^CC = //p' "$build/Makefile")
flags=$(sed -n 's/^\(AM_\)\{0,1\}CFLAGS = //p; s/^SAN_FLAGS = //p' "$build/Makefile" | grep -v '\$(' | tr '\n' ' ')
mkdir "$work/cmd"
cd "$SRC" || exit 1
tools/rows COMMAND record.c report.c merge.c diff.c gmon.c help.c >"$work/cmd/commands.def"
# shellcheck disable=SC2086
tools/rows COMMAND $large >"$work/cmd/left_out.def"
small=$work/dtr
# Objects whose source is gone may still lie there.
objects=
for object in "$build"/cmd/dtr/dtr-*.o "$build"/cmd/dtr/help/dtr-*.o "$build"/cmd/dtr/complete/dtr-*.o \
	"$build"/cmd/dtr/tool/dtr-*.o; do
	source=${object#"$build"/}
	source=${source%/*}/$(basename "$object" .o | sed 's/^dtr-//').c
	[ ! -f "$source" ] || [ "$source" = cmd/dtr/command.c ] || objects="$objects $object"
done
# shellcheck disable=SC2086
$cc $flags -D_GNU_SOURCE -I"$work" -I"$SRC" -I"$build" -c -o "$work/command.o" cmd/dtr/command.c &&
	$cc $flags -o "$small" "$work/command.o" \
		$objects \
		"$build"/libengine.a "$build"/liblang.a "$build"/libproviders.a "$build"/libaggregation.a \
		"$build"/libir.a "$build"/libbase.a $(sed -n 's/^\(LIBBPF\|LIBELF\|ZLIB\)_LIBS = //p; s/^LIBS = //p' \
		"$build/Makefile" | tr '\n' ' ') -lpthread -ldl >"$work/log" 2>&1
ok $? 'dtr is linked without the large commands' "$(head -n 20 "$work/log")"
for command in $large; do
	run "$small" "$command" --help
	is "$status:$err" "2:dtr: this dtr was built without '$command'" "without $command"
done
run "$small" record --help
is "$status" 0 'record is there'
run "$small" -e -n 'BEGIN { exit(0); }'
is "$status:$err" 0: 'scripts, too'
run "$small" --complete ''
unlike "$out" '^(serve|stat|kgmon|prog|top|trace)	' 'what was left out is not completed'
done_testing
