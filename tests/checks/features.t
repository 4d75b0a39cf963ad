#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every feature has a test, and tests/checks/features (./dev tests NAME) finds it.
. "$SRC/tests/lib/tap.sh"

run "$SRC/tests/checks/features" "$here"
is "$status:$(printf '%s\n' "$out" | grep ': no test$')" 0: 'every feature has a test'
for kind in aggregation flag format function option provider subcommand tool variable; do
	between "$(printf '%s\n' "$out" | grep -c "^$kind ")" 3 1000 "each kind of feature is listed: $kind"
done
run "$SRC/tests/checks/features" "$here" lquantize aggsortkey
like "$out" '^  tests/golden/lquantize.d  *[1-9]' 'the tests of a function'
like "$out" '^  tests/golden/sort_key.d  *[1-9]' 'the tests of an option'
run "$SRC/tests/checks/features" "$here" nosuch
is "$status:$out" '1:unknown feature: nosuch' 'an unknown feature'

# A feature without a test: these tests contain trace(), but not exit().
mkdir -p "$work/build/tests/checks" "$work/tests/checks" "$work/share"
cp "$SRC/tests/checks/features" "$work/tests/checks"
printf '#!/bin/sh\necho function exit\necho function trace\n' >"$work/build/tests/checks/list"
printf '#!/bin/sh\n' >"$work/build/dtr"
chmod +x "$work/build/dtr" "$work/build/tests/checks/list"
echo "# run \"\$DTR\" -n 'BEGIN { trace(1); }'" >"$work/tests/trace.t"
run "$work/tests/checks/features" "$work/build"
is "$status:$out" '1:function exit: no test
function trace:
  tests/trace.t                                1' 'a feature without a test is reported'
done_testing
