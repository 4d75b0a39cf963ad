# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Saved aggregations as a user meets them: refusals, files that cannot be written, damaged ones, differences. On this
# kernel.
. "$SRC/tests/lib/tap.sh"

run "$DTR" merge
is "$status" 2 'merge without files'
like "$err" '^Usage: dtr merge' 'says how it is used'
run "$DTR" diff one
is "$status" 2 'diff needs two'
run "$DTR" merge --help
is "$status" 0 'merge --help'
run "$DTR" merge -y x
is "$status:$(printf '%s\n' "$err" | head -n 1)" '2:dtr: unknown option -y' 'an unknown option'
run "$DTR" merge "$work/none"
is "$status:$err" "1:dtr: failed to read $work/none: No such file or directory" 'a file that is not there'
printf 'some text that is long enough' >"$work/text"
run "$DTR" merge "$work/text"
is "$status:$err" "1:dtr: $work/text: byte 0: not a file of saved aggregations" 'a file of something else'

# Files that an earlier dtr has written stay what they are.
run "$DTR" merge "$SRC/tests/saved/version-1b.agg" "$SRC/tests/saved/version-1.agg"
is "$status:$out" "0:$(cat "$SRC/tests/saved/version-1.out")" 'version 1 of the format'
run "$DTR" diff "$SRC/tests/saved/version-1.agg" "$SRC/tests/saved/version-1b.agg"
is "$status:$out" "0:$(cat "$SRC/tests/saved/version-1.diff")" 'every function and type of key compared'

need_kernel
run "$DTR" -x aggsave="$work/no/file" -qn 'BEGIN { @ = count(); exit(0); }'
is "$status:$err" "1:dtr: failed to write $work/no/file: No such file or directory" \
	'a folder that is not there: told before tracing'
save() { # FILE SCRIPT [OPTION...]: leaves the text output in $out
	saved=$1 saved_script=$2
	shift 2
	run "$DTR" -x aggsave="$saved" "$@" -qn "$saved_script"
}
keys='BEGIN { @n["a", 1] = sum($1); @n["b", -2] = sum(5); @q[1] = quantize($1); @l = lquantize($1, 0, 100, $2);
	@m = min($1); exit(0); }'
save2() { run "$DTR" -x aggsave="$1" -qn "$keys" "$2" "$3"; }
save2 "$work/a" 10 5
a=$out
is "$status:$err" 0: 'a run saves its aggregations'
run "$DTR" merge "$work/a"
same "$out" "$a" 'merge of one file prints what the run has printed'
save2 "$work/b" 32 5
run "$DTR" merge -o "$work/ab" "$work/a" "$work/b"
is "$status:$(printf '%s\n' "$out" | awk '$1 == "a" || $1 == "b" { print $1 $3 }' | tr '\n' ' ')" '0:b10 a42 ' \
	'two files add up'
like "$out" '^ *10$' 'the smaller minimum'
run "$DTR" merge -q -o "$work/ba" "$work/b" "$work/a"
is "$out" '' '-q prints nothing'
cmp "$work/ab" "$work/ba" >/dev/null
ok $? 'the same bytes in either order'
many='' as='' bs=''
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do many="$many $work/a $work/b" as="$as $work/a" \
	bs="$bs $work/b"; done
"$DTR" merge -q -o "$work/m" $many && "$DTR" merge -q -o "$work/as" $as && "$DTR" merge -q -o "$work/bs" $bs &&
	"$DTR" merge -q -o "$work/asbs" "$work/bs" "$work/as"
cmp -s "$work/m" "$work/asbs"
ok $? 'forty files, which are not in memory at once, are the same bytes as their parts'
run "$DTR" merge $many "$work/none" $many
is "$status" 1 'one of many that is not there'
like "$err" 'none: No such file' 'is named'
run "$DTR" merge -x aggsortrev "$work/ab"
is "$(printf '%s\n' "$out" | awk '$1 == "a" || $1 == "b" { print $1 $3 }' | tr '\n' ' ')" 'a42 b10 ' \
	'options of printing count'
run "$DTR" merge -O json "$work/ab"
printf '%s\n' "$out" | "$here/tests/lib/jsonlines" >"$work/why"
ok $? 'as JSON' "$(cat "$work/why")"
is "$(ls "$work" | grep -c new)" 0 'no file is left over'

run "$DTR" diff "$work/a" "$work/b"
is "$status" 0 'diff'
is "$(printf '%s\n' "$out" | sed -n '2,3p')" "@n, sum(): 1 changed, 0 added, 0 gone, 1 the same
  a                                                         1               10               32              +22" \
  	'tells what changed'
run "$DTR" diff "$work/a" "$work/a"
unlike "$status:$out" '[+-][0-9]' 'nothing has changed from a file to itself'

save2 "$work/c" 32 10
run "$DTR" merge "$work/a" "$work/c"
is "$status:$err" \
	"1:dtr: $work/a and $work/c cannot be combined: @l is lquantize(0, 100, 5) in one and lquantize(0, 100, 10) \
in the other" \
	'other bounds are refused, both files named'
save "$work/d" 'BEGIN { @n["a"] = sum(1); exit(0); }'
run "$DTR" diff "$work/a" "$work/d"
like "$err" \
	"^dtr: $work/a and $work/d cannot be combined: they come from different programs: 'BEGIN .*' and 'BEGIN .*'\$" \
	'another program is refused'
save "$work/e" 'string s; BEGIN { s = execname; @[s] = sum(1); exit(0); }'
save "$work/f" 'string s; BEGIN { s = execname; @[s] = sum(1); exit(0); }' -x strsize=64
run "$DTR" merge "$work/e" "$work/f"
like "$err" 'key 1 of @_ is of type string of 256 bytes in one and string of 64 bytes in the other' \
	'other types of keys are refused'

head -c 100 "$work/a" >"$work/cut"
run "$DTR" merge "$work/b" "$work/cut"
like "$status:$err" "^1:dtr: $work/cut: byte [0-9]+: " 'a file that was cut off'
{ head -c 60 "$work/a"; printf '\377'; tail -c +62 "$work/a"; } >"$work/bad"
run "$DTR" merge "$work/bad"
like "$status:$err" "^1:dtr: $work/bad: byte [0-9]+: block .* is damaged: its checksum does not match\$" \
	'a byte that was changed'

# What printa() has printed is saved, too, and normalize() is kept.
save "$work/g" 'BEGIN { @a = sum(100); @b = count(); printa(@b); normalize(@a, 10); exit(0); }'
run "$DTR" merge "$work/g"
is "$(printf '%s\n' $out | tr '\n' ' ')" '10 1 ' 'printed ones and normalized ones'
ln -s g "$work/link"
save "$work/link" 'BEGIN { @b = count(); exit(0); }'
run test -L "$work/link"
is "$status" 0 'a link stays a link'
run "$DTR" -x aggsave=/dev/full -qn 'BEGIN { @ = count(); exit(0); }'
is "$status:$err" '1:dtr: failed to write /dev/full: No space left on device' 'a full disk'

run sh -c '"$0" merge "$1" >/dev/full' "$DTR" "$work/g"
is "$status:$err" '1:dtr: failed to write output: No space left on device' 'told once'
run sh -c '{ "$0" merge "$1"; echo "status $?" >&2; } | :' "$DTR" "$work/g"
is "$err" 'status 0' 'a reader who has seen enough is no failure'
run sh -c '"$0" merge -h >/dev/full' "$DTR"
is "$status:$err" '1:dtr: failed to write output: No space left on device' \
	'help that cannot be written is an error, too'

run "$DTR" merge -O xml "$work/g"
is "$status:$out" 2: 'an unknown format is a usage error'
like "$err" "^dtr: invalid value 'xml' for option 'oformat': expected text, json" 'and is reported'
run "$DTR" merge -x nosuch "$work/g"
is "$status:$out:$err" "2::dtr: unknown option 'nosuch'" 'so is an unknown option'
run "$DTR" diff -x nosuch "$work/g" "$work/g"
is "$status:$out:$err" "2::dtr: unknown option 'nosuch'" 'in diff, too'

# Two runs over the same events at once: profile and its own count.
save "$work/p" 'profile-997 { @[stack(), ustack(), execname] = count(); @all = count(); } tick-500ms { exit(0); }'
n=$("$DTR" merge "$work/p" | tail -n 1 | tr -d ' ')
is "$("$DTR" merge -O folded "$work/p" 2>/dev/null | awk '{ s += $NF } END { print s }')" "$n" \
	'every sample is in a row'
done_testing
