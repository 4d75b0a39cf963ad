#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Headers of tools: each kind of line and effect, and one error with its place for each kind of mistake.
. "$SRC/tests/lib/tap.sh"
DTR_SHARE=$work/share
export DTR_SHARE
mkdir -p "$DTR_SHARE/tools/mine"
cp "$SRC"/share/*.d "$SRC"/share/*.h "$DTR_SHARE"

tool() { # writes the header from standard input, and a script that prints its arguments
	{
		printf '#pragma D option quiet\n#pragma D option defaultargs\n'
		cat
		printf 'BEGIN { printf("%%s %%d %%s\\n", $$1, $2, $$3); exit(0); }\n'
	} >"$DTR_SHARE/tools/mine.d"
}
tool <<'END'
#pragma dtr tool "a tool of \"mine\""
#pragma dtr usage "[-n NAME] [--flag] [-k one|two] PID"
#pragma dtr about "First"
#pragma dtr more "paragraph."
#pragma dtr about "Second paragraph."
#pragma dtr option -n text:NAME $1 "a name"
#pragma dtr option --flag $2=1 "a flag"
#pragma dtr option -k one|two $3 "a word"
#pragma dtr option --more text:CLAUSE pass "-q -n %s" "words"
#pragma dtr option --other script other.d "another script"
#pragma dtr option -V variant loud "louder"
END
echo 'BEGIN { trace("other"); exit(0); }' >"$DTR_SHARE/tools/mine/other.d"
echo 'BEGIN { trace("LOUD"); exit(0); }' >"$DTR_SHARE/tools/mine/loud.d"
echo 'BEGIN { trace("OTHER"); exit(0); }' >"$DTR_SHARE/tools/mine/other-loud.d"
run "$DTR" -l --tools
is "$status:$out" '0:mine         a tool of "mine"' 'the summary'
run "$DTR" mine -h
is "$(printf '%s\n' "$out" | sed '/^These options/,$d')" 'mine - a tool of "mine"

usage: dtr mine [-n NAME] [--flag] [-k one|two] PID

First paragraph.

Second paragraph.

  -n NAME = $1       a name
  --flag = $2=1      a flag
  -k one|two = $3    a word
  --more CLAUSE = -q -n CLAUSE
                     words
  --other = script other.d
                     another script
  -V = variant loud  louder' 'the help'
run "$DTR" --complete mine -
is "$(printf '%s\n' "$out" | sed -n 1,6p)" "$(printf '%s\t%s\n' -n 'a name' --flag 'a flag' -k 'a word' --more words \
	--other 'another script' -V louder)" 'its options are completed'
run "$DTR" --complete mine -k ''
is "$(printf '%s\n' "$out" | tr -d '\t' | tr '\n' ' ')" 'one two ' 'words are completed'
run "$DTR" mine -n 'a b' --flag -k two
is "$status:$out" '0:a b 1 two' 'arguments'
run "$DTR" mine --more 'END { trace("a b"); }'
is "$status:$out" '0: 0 
a b' 'words for dtr'
run "$DTR" mine --other -q
is "$status:$out" '0:other' 'another script'
run "$DTR" mine -V -q
is "$status:$out" '0:LOUD' 'a variant of the script'
run "$DTR" mine --other -V -q
is "$status:$out" '0:OTHER' 'a variant of another script'
run "$DTR" mine --flak
is "$status:$err" "2:dtr mine: unknown option --flak (did you mean '--flag'?) (see dtr mine -h)" 'the nearest name'
run "$DTR" -s "$DTR_SHARE/tools/mine.d" x 2
is "$status:$out" '0:x 2 ' 'dtr -s runs the script'

tool </dev/null
run "$DTR" mine
is "$status:$out" '0: 0 ' 'a script without a header is a tool without options'

# WORD MESSAGE: an error at this word
refused() {
	tool <<END
#pragma dtr tool "mine"
$line
END
	before=${line%%"$1"*}
	[ "$1" ] || before=$line
	run "$DTR" mine
	is "$status:$err" "2:dtr: failed to compile script $DTR_SHARE/tools/mine.d: line 4: $2
    4 | $line
      | $(printf '%s' "$before" | tr -c '\n' ' ')^" "$line"
}
effect='expected an effect: $1, pass, target, all, script, variant or picture'
line='#pragma dtr sumary "x"'
refused sumary 'expected tool, usage, about, option, operand or more'
line='#pragma dtr about x'
refused 'x' 'expected a text in double quotes'
line='#pragma dtr about "x'
refused '"' 'unterminated text'
line='#pragma dtr about "x" y'
refused y 'unexpected text at the end of the line'
line='#pragma dtr option i period $1 "x"'
refused 'i period' 'expected the name of an option, -L or --WORD'
line='#pragma dtr option -h $1=1 "x"'
refused -h '-h prints the help'
line='#pragma dtr option -i perod $1 "x"'
refused perod "'perod' is neither a kind of value nor an effect (did you mean 'period'?)"
line='#pragma dtr option -i period "x"'
refused '"' "$effect"
line='#pragma dtr option -i period'
refused '' "$effect"
line='#pragma dtr option -i $1 "x"'
refused '$1' 'an option without a value needs that of the argument: $1=1'
line='#pragma dtr option -i period $33 "x"'
refused '$33' 'expected an argument of the script, $1 to $32'
line='#pragma dtr option -i pass "-q" x'
refused 'x' 'unexpected text at the end of the line'
line='#pragma dtr option --off script "x"'
refused '"' 'expected the file of a script'
line='#pragma dtr option -C variant "x"'
refused '"' 'expected the name of a variant'
line='#pragma dtr option -o picture'
refused picture 'picture needs a value'
line='#pragma dtr operand text:NAME target'
refused target 'target needs a value of kind pid or command'
line='#pragma dtr operand $1=1'
refused '$1' 'an operand needs a kind of value'
for command in 'help mine' '-l --tools'; do
	# shellcheck disable=SC2086
	run "$DTR" $command
	like "$status:$err" '^[12]:.*mine.d: line 4: an operand needs' "dtr $command"
done
printf '#pragma dtr option -i $1=1\n#pragma dtr option -i $2=1\n' >"$DTR_SHARE/tools/mine.d"
run "$DTR" mine
like "$status:$err" '^2:.*line 2: option -i is there twice' 'an option twice'
printf '#pragma dtr more "x"\n' >"$DTR_SHARE/tools/mine.d"
run "$DTR" mine
like "$status:$err" '^2:.*line 1: there is no text before it' 'a continuation of nothing'
done_testing
