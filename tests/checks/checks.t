#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The checks of the source tree (tools/check-*): each accepts a correct tree and reports an inserted error.
. "$SRC/tests/lib/tap.sh"

tree=$work/tree
mkdir -p "$tree/base" "$tree/lang/syntax" "$tree/docs"

# correct: makes a tree without errors.
correct() {
	cat >"$tree/base/list.h" <<-'END'
		/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
		struct list {
			int size;	/* in elements */
		};
		/* Copies at most `most` elements to *to; n: the size of why.
		 * Returns 0, or -1 and why[n]. Sets `size`. */
		int list_copy(struct list *l, struct list *to, int most,
			      char *why, int n);
	END
	printf '#include "base/list.h"\nstruct item;\nstruct entry { int i; };\n' >"$tree/base/list.c"
	printf '#include "base/list.h"\n/* struct list { */\n' >"$tree/lang/text.h"
	printf '# Text\n\n| %s |\n\n```\n%s\n```\n' "$long" "$long" >"$tree/docs/text.md"
}
# reports TOOL ERROR NAME: checks that the tool fails and prints exactly this line.
reports() {
	run "$SRC/tools/check-$1" "$tree"
	is "$status:$out" "1:$2" "$3"
	correct
}

long=$(printf 'word %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
correct
for tool in columns tags comments cycles layers; do
	run "$SRC/tools/check-$tool" "$tree"
	is "$status:$out$err" 0: "check-$tool accepts a correct tree"
done

# without Git, what a build has made is not source
mkdir -p "$tree/build/base" "$tree/_build"
printf 'struct list { int %s; };\n/* Sets `x`. */\nint f(int y);\n' "$long" | tee "$tree/build/base/list.h" \
	"$tree/lang/syntax/gram.h" >"$tree/_build/list.h"
for tool in columns tags comments; do
	run "$SRC/tools/check-$tool" "$tree"
	is "$status:$out$err" 0: "check-$tool ignores generated files"
done
rm -r "$tree/build" "$tree/_build" "$tree/lang/syntax/gram.h"

# 15 tabs are 120 columns
printf '\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\nint x;\n\t\t\t\t\t\t\t\t\t\t\t\t\t\t\tx;\n' >"$tree/base/list.c"
reports columns 'base/list.c:3: 122 columns' 'a line of C with tabs'
printf '# %s\n' "$long" >"$tree/lang/text.sh"
reports columns 'lang/text.sh:1: 127 columns' 'a line of a script'
rm "$tree/lang/text.sh"
printf '%s\n' "$long" >>"$tree/docs/text.md"
reports columns 'docs/text.md:8: 125 columns' 'a line of text in Markdown'

printf 'union list\n{ int i; };\n' >>"$tree/lang/text.h"
reports tags 'lang/text.h:4: the tag list is also defined in base/list.h:2' 'a tag in two files'
printf 'enum entry { ENTRY };\n' >>"$tree/lang/text.h"
reports tags 'lang/text.h:3: the tag entry is also defined in base/list.c:3' 'another kind of tag'

# wrong OLD NEW WORD NAME: makes the comment name NEW instead of the parameter OLD; WORD must be reported.
wrong() {
	sed "/^[/ ]\*/s/$1/$2/" "$tree/base/list.h" >"$work/list.h" && cp "$work/list.h" "$tree/base/list.h"
	reports comments "base/list.h:5: no function below has a parameter \"$3\"" "$4"
}
wrong '`most`' '`least`' least 'a wrong parameter name in backquotes'
wrong '\*to' '*from' from 'a wrong parameter name after *'
wrong 'why\[n\]' 'reason[n]' reason 'a wrong parameter name before [n]'
wrong 'Returns 0' 'reason: what failed. Returns 0' reason 'a wrong parameter name at the beginning of a sentence'
wrong '`size`' '`length`' length 'a member that the header does not define'

printf '#include "base/list.h"\n' >"$tree/base/item.h"
printf '#include "base/item.h"\n' >>"$tree/base/list.c"
reports cycles 'include cycle: base/item -> base/list -> base/item' 'two modules that include each other'
rm "$tree/base/item.h"

# breaks FILE HEADER: checks that the file must not include the header.
breaks() {
	mkdir -p "$tree/${1%/*}"
	printf '#include "%s"\n' "$2" >"$tree/$1"
	reports layers "layer break: $1:1:#include \"$2\"" "$1 must not include $2"
	rm "$tree/$1"
}
breaks base/x.c lang/prog.h
breaks lang/types/x.c lang/syntax/ast.h
breaks lang/types/x.c lang/compile.h
breaks lang/syntax/x.c lang/check/checker.h
breaks lang/check/x.c lang/lower/lower.h
breaks lang/lower/x.h lang/func/family.h
breaks lang/x.h lang/check/near.h
breaks engine/bpf/code/x.c engine/bpf/load/load.h
breaks engine/bpf/unwind/x.c engine/bpf/engine.h

for tool in columns tags comments cycles layers; do
	run "$SRC/tools/check-$tool"
	is "$status:$out" 0: "check-$tool accepts this tree"
done
done_testing
