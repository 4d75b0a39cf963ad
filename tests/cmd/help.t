# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr help: everything that dtr has can be looked up, from the documentation.
. "$SRC/tests/lib/tap.sh"

run "$DTR" help
is "$status:$err" 0: 'the list of topics'
like "$out" 'dtr help start' 'it says where to begin'
topics=$(printf '%s\n' "$out" | sed -n '/^Topics:/,/^$/ s/^  \([a-z]*\)  .*/\1/p')
between "$(printf '%s\n' "$topics" | wc -l)" 15 60 'it has topics'
missing=
for provider in $("$DTR" -l | awk 'NR > 1 { print $2 }' | sort -u); do
	printf '%s\n' "$out" | grep -Eq "(^|[ :])$provider([ .]|\$)" || missing="$missing $provider"
done
is "$missing" '' 'it names every provider'

# Topics, tools, subcommands, and each feature of the program's own lists.
bad=
for word in $topics $("$DTR" -l --tools | awk '{ print $1 }') record merge diff kgmon \
	$("$here/tests/checks/list" | awk '{ print $2 }') D_SYNTAX D_PDESC_ZERO; do
	run "$DTR" help "$word"
	[ "$status:$err" = 0: ] && [ "$(printf '%s\n' "$out" | wc -c)" -gt 30 ] || bad="$bad $word"
	case $out in *"$word"* | *arg0*) ;; *) case " $topics " in *"$word"*) ;; *) bad="$bad $word?" ;; esac ;; esac
done
is "$bad" '' 'every topic, tool, provider, function, variable and aggregating function has help'
bad=
for option in $("$DTR" --help | sed -n '/^Options for -x/,$ s/^  \([a-z]*\) .*/\1/p'); do
	run "$DTR" help "$option"
	[ "$status" = 0 ] || bad="$bad $option"
done
is "$bad" '' 'every option has help'

wide=$(for word in start providers syscall variables aggregations options drops errors; do
	"$DTR" help $word | LC_ALL=C tr -d '\200-\277' | awk -v w=$word 'length > 79 && !/^    / { print w ": " $0 }'
done)
is "$wide" '' 'text fits into 80 columns'
run "$DTR" help getting started
like "$out" '^Getting started' 'a topic of two words'
run "$DTR" help quantize
like "$out" '^  quantize\(x\[, weight\]\)  *powers of two$' 'a function: its row'
run "$DTR" help off-cpu
like "$out" '^  off-cpu  *fires: when the current thread' 'a probe: its row'
run "$DTR" help D_DESTRUCTIVE
like "$out" 'destructive action without -w' 'a tag'
unlike "$(for t in start language options syscall; do "$DTR" help $t; done)" '\]\(|^#|^\||``' \
	'no signs of Markdown are left'

run "$DTR" help opensnoop
tool=$out
run "$DTR" opensnoop -h
is "$tool" "$out" 'a tool: what its -h prints'
run "$DTR" help exact
like "$out" '^usage: dtr exact' 'a tool with a page of its own: its -h'
like "$out" 'from switch to switch' 'then the page'

for words in histogram 'flame graph' latency script tools prometheus privileges; do
	# shellcheck disable=SC2086
	run "$DTR" help $words
	[ "$status" = 0 ] && [ "$(printf '%s\n' "$out" | wc -l)" -gt 5 ]
	ok $? "a word that a new user would look for: $words"
done
run "$DTR" help excename
is "$status:$out" 1: 'an unknown topic'
is "$err" "dtr: no help on 'excename' (did you mean 'execname'?); \"dtr help\" lists the topics" \
	'one error, with the nearest name'
run "$DTR" help opensnop
like "$err" "did you mean 'opensnoop'" 'the nearest tool'
run "$DTR" help ../README
is "$status:$out" 1: 'a path is no topic'
run sh -c '"$0" help options >/dev/full' "$DTR"
is "$status" 1 'a full disk is an error'
DTR_SHARE=$work run "$DTR" help
is "$status:$out" 1: 'without documentation'
like "$err" '^dtr: failed to read the documentation in ' 'it says so'

bad=
for page in $(cd "$SRC" && ls docs/*.md); do
	grep -q "($page)" "$SRC/README.md" || bad="$bad $page"
done
is "$bad" '' 'README.md lists every page'
run "$DTR" help -x
is "$status:$(printf '%s\n' "$out" | head -1)" 0:Options 'help -x: the options'
run "$DTR" help -x bufsize=4m
like "$status:$out" '^  bufsize ' 'help -x NAME=VALUE: one option'

# The commands of the introduction compile.
bad=
"$DTR" help start | grep '^    ' | sed 's/^    //' >"$work/start"
sed -n "s/^\(dtr .*\) -c '[^']*'$/\1/; /^dtr -[a-z]* '.*'$/p" "$work/start" | grep -v '^dtr -l' | sort -u >"$work/lines"
between "$(wc -l <"$work/lines")" 3 20 'the introduction has commands'
while read -r line; do
	line=$(printf '%s' "$line" | sed "s/^dtr/\"\$DTR\" -e -p 1/")
	(eval "$line") >"$work/said" 2>&1 || bad="$bad
$line: $(cat "$work/said")"
done <"$work/lines"
is "$bad" '' 'they compile'
for script in "$SRC"/docs/examples/*.d; do
	[ "${script##*/}" != offcpu.d ] || if_can 'offcpu.d compiles' types || continue
	run "$DTR" -e -s "$script"
	is "$status:$err" 0: "${script##*/} compiles"
done
done_testing
