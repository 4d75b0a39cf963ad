#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# docs/architecture.md lists every folder of the source tree, and no other; docs/testing.md lists every folder of
# tests/.
. "$SRC/tests/lib/tap.sh"
cd "$SRC" || exit 1

# The folders, without those of the tests and those that a build creates.
tools/sources | awk '{ while (sub(/\/[^\/]*$/, "")) print }' | sort -u >"$work/all"
grep -v '^tests/' "$work/all" >"$work/tree"

# Each line of the list begins with one or more folders. Two more spaces of indentation mean a folder in the one above.
sed -n '/^## Folders/,/^## /p' docs/architecture.md | awk '
	/^```/ { inside = !inside; next }
	!inside || !match($0, /^ *[^ ]+\//) { next }
	{
		depth = match($0, /[^ ]/) - 1
		if (depth > 8) next # the text goes on
		depth /= 2
		for (i = 1; i <= NF && $i ~ /\/$/; i++) {
			name = substr($i, 1, length($i) - 1)
			path = depth ? above[depth - 1] "/" name : name
			above[depth] = path
			while (path != "") { print path; if (!sub(/\/[^\/]*$/, "", path)) path = "" }
		}
	}' | sort -u >"$work/listed"
grep -q '^\.ci$' "$work/all" || sed -i '/^\.ci$/d' "$work/listed"
is "$(comm -23 "$work/tree" "$work/listed")" '' 'every folder is in docs/architecture.md'
is "$(comm -13 "$work/tree" "$work/listed")" '' 'every folder of docs/architecture.md exists'

sed -n 's|^\(tests/[^/]*\)$|\1|p' "$work/all" >"$work/tests"
sed -n 's/^| `\(tests\/[a-z]*\)` .*/\1/p' docs/testing.md | sort >"$work/listed"
printf 'tests/lib\n' | sort -m - "$work/listed" >"$work/both"
is "$(comm -3 "$work/tests" "$work/both")" '' 'docs/testing.md lists exactly the folders of tests/'

# What a program that was tried here has left behind. A source tarball has files that autoconf made, too.
git ls-files >"$work/known" 2>"$work/err"
grep -v / "$work/known" |
	grep -vxE '\.gitignore|CHANGELOG\.md|LICENSE|Makefile\.am|README\.md|configure\.ac|dev' >"$work/top"
is "$(cat "$work/top")" '' 'the top folder has only files that belong there'
done_testing
