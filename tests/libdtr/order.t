# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The order of calls of libdtr: each pair of functions after each beginning of a session, with arguments and without
# (order.c), and what a fork of the process may do.
. "$SRC/tests/lib/tap.sh"
order=$here/tests/libdtr/order

# ---- every function of a session is called ----
tr '\n' ' ' <"$SRC/engine/dtr.h" | tr ';' '\n' |
	sed -n 's/.*[ *]\(dtr_[a-z_]*\)(\(const \)\{0,1\}struct dtr \*t[,)].*/\1/p' | grep -vx dtr_close |
	LC_ALL=C sort -u >"$work/declared"
"$order" list >"$work/list"
sed -n '/^static int picture/,/^#define CALL/p' "$SRC/tests/libdtr/order.c" >>"$work/list"
sed -n '/^static int page/,/^static int picture/p' "$SRC/tests/libdtr/order.c" >>"$work/list"
grep -o 'dtr_[a-z_]*(' "$work/list" | tr -d '(' | LC_ALL=C sort -u >"$work/called"
is "$(LC_ALL=C comm -23 "$work/declared" "$work/called")" '' 'every function of a session is called'
between "$(grep -c . "$work/declared")" 40 200 'the header declares them'

engines=user
! "$here/tests/kernel/can_bpf" >/dev/null || engines='bpf user'
for engine in $engines; do
	run "$order" $engine "$SRC/share"
	like "$out" ' 0 bad$' "every pair of calls, engine $engine"
	run "$order" $engine "$SRC/share" fork
	is "$out" "the fork: status 0
the session: 0, status 7" "a fork that closes the session does not disturb it, engine $engine"
done
done_testing
