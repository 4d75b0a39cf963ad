# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every example of the docs compiles: ```d blocks as scripts, lines of ```sh blocks that call dtr as they stand, with -e.
. "$SRC/tests/lib/tap.sh"

# blocks FILE LANGUAGE: writes each fenced block of that language to $work/block.N
blocks() {
	rm -f "$work"/block.*
	awk -v lang="$2" -v out="$work/block." '
		$0 == "```" lang { n++; on = 1; next }
		/^```/ { on = 0 }
		on { print > (out sprintf("%03d", n)) }' "$1"
}

for doc in README.md docs/language.md docs/profile-provider.md docs/options.md; do
	blocks "$SRC/$doc" d
	for b in "$work"/block.*; do
		[ -f "$b" ] || continue
		if grep -q '\$1' "$b"; then run "$DTR" -e -s "$b" 1; else run "$DTR" -e -s "$b"; fi
		is "$status" 0 "$doc: script ${b##*.} compiles"
	done
	blocks "$SRC/$doc" sh
	cat "$work"/block.* 2>/dev/null | sed -n 's/^[#$]* *dtr /-e /p' >"$work/lines"
	while IFS= read -r line; do
		printf '"$DTR" %s\n' "$line" >"$work/cmd.sh"
		DTR=$DTR run sh "$work/cmd.sh"
		is "$status" 0 "$doc: dtr ${line#-e }"
	done <"$work/lines"
done
done_testing
