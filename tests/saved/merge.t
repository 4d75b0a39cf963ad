# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Saved aggregations on this kernel: refusals, files that cannot be written, damaged files, differences.
. "$SRC/tests/lib/tap.sh"

run "$DTR" merge
is "$status" 2 'merge without files'
is "$err" 'dtr merge: a file is needed (see dtr merge -h)' 'names what is missing'
run "$DTR" diff one
is "$status" 2 'diff needs two files'
run "$DTR" merge --help
is "$status" 0 'merge --help'
run "$DTR" merge -y x
is "$status:$(printf '%s\n' "$err" | head -n 1)" '2:dtr merge: unknown option -y (see dtr merge -h)' 'an unknown option'
run "$DTR" merge "$work/none"
is "$status:$err" "1:dtr: failed to read $work/none: No such file or directory" 'a missing file'
printf 'some text that is long enough' >"$work/text"
run "$DTR" merge "$work/text"
is "$status:$err" "1:dtr: $work/text: byte 0: not a file of saved aggregations" 'a file in another format'

# Files of earlier versions of dtr.
run "$DTR" merge "$SRC/tests/saved/version-1b.agg" "$SRC/tests/saved/version-1.agg"
is "$status:$out" "0:$(cat "$SRC/tests/saved/version-1.out")" 'version 1 of the format'
run "$DTR" diff "$SRC/tests/saved/version-1.agg" "$SRC/tests/saved/version-1b.agg"
is "$status:$out" "0:$(cat "$SRC/tests/saved/version-1.diff")" 'every function and type of key compared'

need_kernel
run "$DTR" -x aggsave="$work/no/file" -qn 'BEGIN { @ = count(); exit(0); }'
is "$status:$err" "1:dtr: failed to write $work/no/file: No such file or directory" \
	'a missing folder is reported before tracing'
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
same "$out" "$a" 'merge of one file prints the output of the run'
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
ok $? 'forty files, not all in memory at once, give the same bytes as two merged halves'
run "$DTR" merge $many "$work/none" $many
is "$status" 1 'one of many files is missing'
like "$err" 'none: No such file' 'its name is reported'
run "$DTR" merge -x aggsortrev "$work/ab"
is "$(printf '%s\n' "$out" | awk '$1 == "a" || $1 == "b" { print $1 $3 }' | tr '\n' ' ')" 'a42 b10 ' \
	'printing options work'
run "$DTR" merge -O json "$work/ab"
printf '%s\n' "$out" | "$here/tests/lib/jsonlines" >"$work/why"
ok $? 'as JSON' "$(cat "$work/why")"
is "$(ls "$work" | grep -c new)" 0 'no temporary file is left'

run "$DTR" diff "$work/a" "$work/b"
is "$status" 0 'diff'
is "$(printf '%s\n' "$out" | sed -n '2,3p')" "@n, sum(): 1 changed, 0 added, 0 gone, 1 the same
  a                                                         1               10               32              +22" \
  	'diff prints the changes'
run "$DTR" diff "$work/a" "$work/a"
unlike "$status:$out" '[+-][0-9]' 'a file does not differ from itself'

save2 "$work/c" 32 10
run "$DTR" merge "$work/a" "$work/c"
is "$status:$err" \
	"1:dtr: $work/a and $work/c cannot be combined: @l is lquantize(0, 100, 5) in one and lquantize(0, 100, 10) \
in the other" \
	'other bounds are refused; the message names both files'
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
like "$status:$err" "^1:dtr: $work/cut: byte [0-9]+: " 'a truncated file'
{ head -c 60 "$work/a"; printf '\377'; tail -c +62 "$work/a"; } >"$work/bad"
run "$DTR" merge "$work/bad"
like "$status:$err" "^1:dtr: $work/bad: byte [0-9]+: block .* is damaged: its checksum does not match\$" \
	'a changed byte'

# Printed aggregations are saved, too; normalize() has no effect on the saved values but is kept.
save "$work/g" 'BEGIN { @a = sum(100); @b = count(); printa(@b); normalize(@a, 10); exit(0); }'
run "$DTR" merge "$work/g"
is "$(printf '%s\n' $out | tr '\n' ' ')" '10 1 ' 'printed and normalized aggregations'
ln -s g "$work/link"
save "$work/link" 'BEGIN { @b = count(); exit(0); }'
run test -L "$work/link"
is "$status" 0 'a symbolic link is kept'
ln -s later "$work/dangling"
save "$work/dangling" 'BEGIN { @b = count(); exit(0); }'
is "$(test -L "$work/dangling" && test -s "$work/later" && echo both)" both '... also of a file that does not exist yet'
run "$DTR" -x aggsave=/dev/full -qn 'BEGIN { @ = count(); exit(0); }'
is "$status:$err" '1:dtr: failed to write /dev/full: No space left on device' 'a full disk'

run sh -c '"$0" merge "$1" >/dev/full' "$DTR" "$work/g"
is "$status:$err" '1:dtr: failed to write output: No space left on device' 'it is reported once'
run sh -c '{ "$0" merge "$1"; echo "status $?" >&2; } | :' "$DTR" "$work/g"
is "$err" 'status 0' 'a reader that closes the pipe is not an error'
run sh -c '"$0" merge -h >/dev/full' "$DTR"
is "$status:$err" '1:dtr: failed to write output: No space left on device' \
	'help that cannot be written is an error'

run "$DTR" merge -O xml "$work/g"
is "$status:$out" 2: 'an unknown format is a usage error'
like "$err" "^dtr: invalid value 'xml' for option 'oformat': expected text, json" 'and is reported'
run "$DTR" merge -x nosuch "$work/g"
is "$status:$out:$err" "2::dtr: unknown option 'nosuch'" 'an unknown option is a usage error'
run "$DTR" diff -x nosuch "$work/g" "$work/g"
is "$status:$out:$err" "2::dtr: unknown option 'nosuch'" 'in diff, too'

# Two clauses over the same events: an aggregation by key, and a count of all.
save "$work/p" 'profile-997 { @[stack(), ustack(), execname] = count(); @all = count(); } tick-500ms { exit(0); }'
n=$("$DTR" merge "$work/p" | tail -n 1 | tr -d ' ')
is "$("$DTR" merge -O folded "$work/p" 2>/dev/null | awk '{ s += $NF } END { print s }')" "$n" \
	'every sample is in a row'
done_testing
