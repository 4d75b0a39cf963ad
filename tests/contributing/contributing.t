#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# docs/contributing.md is true: the patches of this folder touch the files that the page names, apply to this source,
# build without warnings, and do what they promise. All eight are applied together to a copy.
# silent: 900 s: it builds dtr
# long: that, too
. "$SRC/tests/lib/tap.sh"

for program in autoreconf patch; do
	any_of $program || { echo "1..0 # SKIP no $program"; exit 0; }
done
tree=$work/tree
mkdir "$tree"
cd "$SRC" || exit 1
if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files -co --exclude-standard >"$work/files"
else
	find . -name 'build*' -prune -o -name '_*' -prune -o -name autom4te.cache -prune -o -type f -print \
		>"$work/files"
fi
tar -cf - --ignore-failed-read -T "$work/files" 2>/dev/null | tar -xf - -C "$tree"

# The files that the page names for a kind of contribution, between its heading and the next one.
named() {
	awk -v name="$1" '
		/^## / { inside = 0 }
		$0 ~ "tests/contributing/" name "\\.patch" { inside = 1 }
		inside && /^\| `/ { gsub(/`/, ""); print $2 }' docs/contributing.md | sort
}
for kind in aggregation provider function format operation tool command option; do
	patch=$SRC/tests/contributing/$kind.patch
	is "$(named $kind)" "$(sed -n 's|^+++ b/||p' "$patch" | sort)" "$kind: the page names the files of the patch"
	run patch -d "$tree" -p1 -i "$patch"
	ok "$status" "$kind: the patch applies" "$out"
done
is "$(ls "$SRC/tests/contributing/" | grep -c 'patch$')" 8 'there are no other patches'

# The form of the source is right, too.
for check in layers cycles tags columns comments; do
	run "$tree/tools/check-$check"
	is "$status:$out" 0: "check-$check accepts the result"
done

if any_of ccache; then
	PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
	export PATH CCACHE_BASEDIR CCACHE_NOHASHDIR
fi
cd "$tree" && autoreconf -i >"$work/log" 2>&1 && mkdir build && cd build &&
	../configure -q --enable-werror CFLAGS=-O0 >>"$work/log" 2>&1 &&
	make -s -j"$(nproc)" dtr tests/checks/list tests/golden/run tests/ir/run >>"$work/log" 2>&1
ok $? 'the copy is built, with warnings as errors' "$(tail -n 30 "$work/log")"

new=$tree/build/dtr
DTR_SHARE=$tree/share
export DTR_SHARE
for test in golden/range.d golden/func_abs.d golden/cases.txt golden/noheader.d ir/swap.ir; do
	cd "$tree/tests/${test%/*}" || exit 1
	run env srcdir="$tree" SRC="$tree" "$tree/build/tests/${test%/*}/run" "${test#*/}"
	ok "$status" "tests/$test" "$out"
done
run "$new" -x engine=user -O tsv -n 'BEGIN { @a["x", abs(-5)] = range(1); @a["x", 5] = range(3); exit(0); }'
is "$status:$out" "$(printf '0:@a\tx\t5\t2')" 'the function, the aggregating function and the format'
run "$new" interval --micro 97
is "$status:$out" '0:10309 us' 'the command'
run "$new" help interval
like "$out" '^usage: dtr interval \[-u\] RATE' 'its help'
run "$tree/tests/checks/features" "$tree/build" range softirq abs tsv noheader signals
is "$status:$(printf '%s\n' "$out" | grep -c ':$')" 0:6 'the patches have tests of their features'
run "$new" signals -h
is "$status:$(printf '%s\n' "$out" | head -n 1)" '0:signals - signals that processes send' 'the tool describes itself'
if "$here/tests/kernel/can_bpf" >/dev/null 2>&1; then
	run "$new" -qn 'softirq:::entry /args[0] >= 0 && ++n >= 3/ { exit(0); } END { printf("%d", n >= 3); }'
	is "$status:$out" 0:1 'the provider'
	run "$new" signals -s 10 -c "sh -c 'trap : USR1; kill -USR1 \$\$'"
	is "$(printf '%s\n' "$out" | awk '$3 == 10 && $1 == $4 { print $2, $5 }')" 'sh sh' 'the tool'
	run "$new" -qn 'BEGIN { printf("%x", htonl(0x12345678 + pid - pid)); exit(0); }'
	is "$out" 78563412 'the operation in the kernel'
else
	skip 'the provider and the tool' 'this kernel does not allow BPF'
fi
done_testing
