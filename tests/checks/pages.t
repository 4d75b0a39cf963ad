# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the documentation lists is what there is: providers and options.
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
done_testing
