#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr diff of two recordings: with known contents, and of programs that really differ. tests/unit/test_difference has
# the statistics, tests/picture/compare.t the page.
. "$SRC/tests/lib/tap.sh"
cd "$work" || exit 1
for kind in dtr perf; do
	"$here/tests/fuzz/record_seed" $kind >$kind.rec
done

# ---- known contents ----
run "$DTR" diff -a dtr.rec perf.rec
cat >want <<'END'
before  dtr.rec: 1970-01-01 00:00:01 UTC, 1.000 s, profile-1000, 12 samples, 3 lost
after   perf.rec: 0.012 s, profile-997, 10 samples, 3 lost

   BEFORE     AFTER   CHANGE       95 % INTERVAL         P   FUNCTION
   0.00 %   80.00 %   +80.00    +5.33 ..  +95.67      0.31   maker`[unknown]
  50.00 %    0.00 %   -50.00   -80.18 ..  +16.93         1   vmlinux`start
END
is "$status:$(printf '%s\n' "$out" | sed -n 1,6p | cut -c 1-70)" "0:$(cut -c 1-70 want)" 'a comparison as text'
like "$out" '^The shares of 0 of 5 functions differ significantly \(P < 0.05\)\.$' 'few samples are not significant'
run "$DTR" diff dtr.rec perf.rec
unlike "$out" FUNCTION 'without -a, only significant rows are shown'
run "$DTR" diff -a dtr.rec dtr.rec
is "$(printf '%s\n' "$out" | awk '$2 == "%" { print $1 == $3, $5, $9 }' | sort -u)" '1 +0.00 1' \
	'a recording and itself: nothing has changed'
run "$DTR" diff -O json dtr.rec perf.rec
is "$status:$(printf '%s\n' "$out" | "$here/tests/lib/jsonlines" 2>&1)" 0: 'JSON lines are valid'
is "$(printf '%s\n' "$out" | grep -c '^{"type":"change",')" 5 'JSON: all functions'
like "$out" '"name":"vmlinux`start","before":\{"count":6,"share":0.5\},"after":\{"count":0,"share":0\},' \
	'JSON: counts and shares'

# ---- errors ----
run "$DTR" -x engine=auto -x aggsave=agg -r dtr.rec -qn 'profile-1000 { @ = count(); }'
for pair in 'dtr.rec agg' 'agg dtr.rec' 'dtr.rec nowhere' 'nowhere perf.rec'; do
	# shellcheck disable=SC2086
	set -- $pair
	run "$DTR" diff "$1" "$2"
	case $1 in *.rec) is=$1 not=$2 ;; *) is=$2 not=$1 ;; esac
	is "$status:$out:$err" \
		"1::dtr: $is is a recording and $not is not: only files of the same kind can be compared" "error: $pair"
done
run "$DTR" diff -O json agg agg
is "$status:$(printf '%s\n' "$err" | sed 1q)" '1:dtr: diff of saved aggregations can print only text' \
	'saved aggregations: only text'
run "$DTR" diff -O folded dtr.rec dtr.rec
is "$status:$out:$err" '1::dtr: diff of recordings prints text, json or html' 'error: -O folded'
head -c 300 dtr.rec >cut.rec
run "$DTR" diff cut.rec dtr.rec
like "$status:$err" 'cut.rec: offset [0-9]+: .*; the data before it was used' 'a damaged file: the offset'
like "$status:$out" '^1:before  cut.rec: .*, 0 samples, 0 lost$' 'a damaged file is compared as far as it goes'
for n in 0 5 16 40; do
	head -c $n dtr.rec >cut.rec
	run "$DTR" diff cut.rec dtr.rec
	like "$status:$err" '^1:dtr: .*cut.rec' "an incomplete file of $n bytes: an error"
done

# ---- a program that differs: 1200 ms in user code and 800 ms in the kernel, then the reverse, at another rate ----
need_kernel
busy=$here/tests/kernel/busy
"$DTR" record -q -g -F 997 -o one.rec -c "$busy split 1200 800" >one 2>err
"$DTR" record -q -g -F 499 -o two.rec -c "$busy split 800 1200" >two 2>>err
run "$DTR" diff one.rec two.rec
is "$status" 0 'recordings of different rates'
# The samples of busy_user, of 2000 and 1000: 60 and 40 % within 5.5 standard deviations (6 and 8.5 points), and 5 for
# interrupts and the clock, more if the program was held. P is far below 0.05 even then, so the sign is certain.
value() { awk -v k="$2" '$1 == k && NF == 2 { print $2 }' "$1"; }
printf '%s\n' "$out" | awk -v ran1="$(value one ran)" -v ran2="$(value two ran)" -v held1="$(value one held)" \
	-v held2="$(value two held)" '$NF == "busy`busy_user" {
	want1 = 120000 / ran1; want2 = 80000 / ran2
	slack1 = 11 + 100 * held1 / ran1; slack2 = 13.5 + 100 * held2 / ran2
	print $1, want1, slack1, $3, want2, slack2, "change", $5, "P", $9
	good = $1 - want1 <= slack1 && want1 - $1 <= slack1 && $3 - want2 <= slack2 && want2 - $3 <= slack2 &&
		$5 < 0 && $9 < 0.05 && $6 <= $5 && $5 <= $8
	} END { exit !good }' >bounds
ok $? 'the function that became colder' "$(cat bounds)" "$out" "$(cat err)"
like "$out" '^ .* \+[0-9.]+ .*   vmlinux`' 'code of the kernel became hotter'
sign=$(printf '%s\n' "$out" | awk '$2 == "%" { print substr($5, 1, 1) }' | uniq | tr -d '\n')
is "$sign" '+-' 'the hottest is first, the coldest last'
run "$DTR" diff -O html one.rec two.rec
data=$(printf '%s\n' "$out" | grep '^<script id="data"')
like "$status:$data" '"compare":\{"before":\{"recording":"one.rec"' 'HTML: the comparison'
like "$data" '"keys":\["text","ustack","stack"\],"rows":\[\[\["busy",\[[0-9]' 'HTML: stacks with two counts'
"$DTR" record -q -F 997 -o three.rec -c "$busy split 100 0" >three 2>err
run "$DTR" diff -O html one.rec three.rec
like "$status:$(printf '%s\n' "$out" | grep '^<script id="data"')" '^0:.*"aggs":\[\],' 'without stacks: no graph'
done_testing
