# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the documentation lists is what there is: providers, options and their defaults, tools and their options.
. "$SRC/tests/lib/tap.sh"
[ -f "$SRC/docs/language.md" ] || { echo '1..0 # SKIP this is not the source tree'; exit 0; }

{ sed -n 's/^PROVIDER(\(.*\))$/\1/p' "$here/providers/providers.def" | grep -v '^usdt$'; echo dtrace; } | sort \
	>"$work/providers"
[ "$(wc -l <"$work/providers")" -gt 20 ]
ok $? 'there are providers'
sed -n '/^## Providers/,/^### /p' "$SRC/docs/language.md" | grep '^| `' | cut -d'|' -f2 | tr -d '`,' | tr ' ' '\n' |
	grep . | sort >"$work/table"
is "$(cat "$work/table")" "$(cat "$work/providers")" 'language.md has a table of all providers'
sed -n '/^Its providers are/,/USDT/p' "$SRC/docs/dtr.8" | sed -n 's/^\.Em //p' | tr -d ',' | tr ' ' '\n' | grep . \
	>"$work/page"
echo dtrace >>"$work/page"
is "$(sort "$work/page")" "$(cat "$work/providers")" 'dtr.8 names all providers'

sed -n '/^- Providers:/,/USDT/p' "$SRC/README.md" | grep -o '`[a-z]*`' | tr -d '`' | sort >"$work/readme"
is "$(cat "$work/readme")" "$(cat "$work/providers")" 'README.md names all providers'

# Options: the first word in quotes of each row; pages name them in the same form.
sed -n 's/^[A-Z{][A-Z_]*[({]* *"\([a-z]*\)".*/\1/p; s/^{ "\([a-z]*\)".*/\1/p' "$SRC/engine/run/options.def" |
	sort -u >"$work/options"
[ "$(wc -l <"$work/options")" -gt 90 ]
ok $? 'there are options'
missing=
while read -r option; do
	grep -q "\`$option\`" "$SRC/docs/options.md" || missing="$missing $option"
done <"$work/options"
is "$missing" '' 'options.md names all options'
# "name" stands for any; "noheader" is the example of contributing.md
{ grep -ohE '(^|[ `(\[])-x [a-z]+' "$SRC"/docs/*.md "$SRC/README.md" "$SRC"/share/tools/*.d
grep -ohE 'Fl x (Cm|Li) [a-z]+' "$SRC"/docs/dtr*.[38]; } | sed 's/.* //' | sort -u | comm -23 - "$work/options" \
	>"$work/unknown"
is "$(tr '\n' ' ' <"$work/unknown")" 'name noheader ' 'each -x of a page is an option'
# The defaults in --help, unless it has none: some are made of others. A row names several options, in order.
"$DTR" --help | sed -n '/^Options for -x/,$ s/^  \([a-z]*\) *\([^ ]*\)  .*/\1 \2/p' | grep -v ' -$' | sort \
	>"$work/defaults"
grep '^| `' "$SRC/docs/options.md" | awk -F'|' '{
	n = split($2, names, " ")
	m = split($3, values, ",")
	for (i = 1; i <= n; i++)
		if (names[i] ~ /^`/) {
			gsub(/[`]/, "", names[i])
			value = m > 1 ? values[++k] : values[1]
			gsub(/ /, "", value)
			print names[i], value
		}
	k = 0
}' | sort >"$work/described"
wrong=$(join -j 1 "$work/defaults" "$work/described" | awk '$2 != $3 { print $1 ": " $3 ", not " $2 }')
[ "$(join -j 1 "$work/defaults" "$work/described" | wc -l)" -gt 60 ]
ok $? 'options with defaults are in both'
is "$wrong" '' 'options.md has the defaults of --help'

# Tools: each in the lists, and the options of each command in its section of a manual page.
missing=
for tool in $("$DTR" -l --tools | awk '{ print $1 }'); do
	grep -q "\`dtr $tool[ \`]" "$SRC/docs/tools.md" || missing="$missing tools.md:$tool"
	sed -n '/^- Tools/,/^- Counts/p' "$SRC/README.md" | tr '\n' ' ' | grep -q "\`$tool\`" ||
		[ "$tool" = stat ] || [ "$tool" = kgmon ] || missing="$missing README.md:$tool"
done
is "$missing" '' 'tools.md and README.md name all tools'
missing=
for tool in $("$DTR" -l --tools | awk '{ print $1 }') record report serve merge diff; do
	case $tool in record | report | serve | merge | diff) page=dtr.8 ;; *) page=dtr-tools.8 ;; esac
	for option in $("$DTR" $tool -h | grep -oE -- '(^|[ ,[|])--[a-z-]+' | sed 's/.*--//' | sort -u); do
		grep -Eq -- "Fl (Fl |-)$option( |\$)" "$SRC/docs/$page" || missing="$missing $tool:--$option"
	done
done
is "$missing" '' 'the manual pages have the long options of all commands'
done_testing
