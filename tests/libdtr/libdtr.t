#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The installed library: what it exports, and a program that another user builds with pkg-config alone.
. "$SRC/tests/lib/tap.sh"
variable() { sed -n "s/^$1 = //p" "$here/Makefile"; }
cc=$(variable CC)
flags="$(variable SAN_FLAGS) -Wall -Wextra -Werror"
root=$work/root

MAKEFLAGS='' make -s -C "$here" install DESTDIR="$root" >"$work/log" 2>&1 || diag "$work/log"
pc=$(find "$root" -name libdtr.pc)
header=$(find "$root" -name dtr.h)
prefix=${header%/include/dtr.h}
lib=$(dirname "$(find "$root" -name libdtr.a)")
version=$(variable PACKAGE_VERSION)
is "$(basename "$pc") $(basename "$header") $(cd "$lib" && echo libdtr*)" \
	"libdtr.pc dtr.h libdtr.a libdtr.so libdtr.so.0 libdtr.so.0.$version" 'make install installs it'
is "$(find "$root" -name dtr.3 | sed 's|.*/man/||')" man3/dtr.3 'and its manual page'
pkg() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$prefix" "$@" libdtr; }

# ---- versions ----
is "$(pkg --modversion)" "$version" 'the version for pkg-config'
is "$(sed -n 's/^#define DTR_VERSION "\(.*\)"/\1/p' "$header")" "$version" 'DTR_VERSION'
is "$(readelf -d "$lib/libdtr.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" libdtr.so.0 'the soname'

# ---- what it exports ----
sed -n 's/^[a-z].*[ *]\(dtr_[a-z_]*\)(.*/\1/p' "$header" | LC_ALL=C sort >"$work/declared"
nm -D --defined-only "$lib/libdtr.so" | sed -n 's/.* T \(.*\)@@LIBDTR_.*/\1/p' | LC_ALL=C sort >"$work/shared"
is "$(diff "$work/declared" "$work/shared")" '' 'the shared library exports exactly what the header declares'
is "$(nm -D --defined-only "$lib/libdtr.so" | grep -v '@@LIBDTR_\| A LIBDTR_')" '' '... and nothing without a version'
nm -g --defined-only "$lib/libdtr.a" | sed -n 's/.* [A-Z] //p' | LC_ALL=C sort >"$work/static"
is "$(diff "$work/declared" "$work/static")" '' 'so does the static library'
is "$(while read -r f; do grep -Eq "Fn $f( |\$)" "$SRC/docs/dtr.3" || echo "$f"; done <"$work/declared")" '' \
	'dtr(3) has every function'
is "$(grep -c . "$work/declared")" "$(grep -o '\bdtr_[a-z_]*[a-z](' "$header" | sort -u | grep -c .)" \
	'this test sees every declaration'

# ---- programs ----
echo '#include <dtr.h>' >"$work/header.c"
# shellcheck disable=SC2046,SC2086
run $cc -std=c99 -pedantic $flags $(pkg --cflags) -c "$work/header.c" -o "$work/header.o"
is "$status$err" 0 'the header alone is valid C99'
cp "$work/header.c" "$work/header.cc"
# shellcheck disable=SC2046
run c++ -Wall -Wextra -Werror $(pkg --cflags) -c "$work/header.cc" -o "$work/header.o"
is "$status$err" 0 '... and C++'

example() { # NAME LIBRARIES...
	name=$1
	shift
	# shellcheck disable=SC2046,SC2086
	run $cc $flags $(pkg --cflags) "$SRC/docs/examples/aggregations.c" "$@" -o "$work/$name"
	is "$status$err" 0 "the example builds with the $name library"
}
# shellcheck disable=SC2046
example shared $(pkg --libs)
# shellcheck disable=SC2046
example static $(pkg --static --libs | sed 's/-ldtr/-l:libdtr.a/')
is "$(readelf -d "$work/shared" | grep -c 'NEEDED.*libdtr.so.0')" 1 'one needs the shared library'
is "$(readelf -d "$work/static" | grep -c libdtr)" 0 'the other one does not'

export LD_LIBRARY_PATH="$lib" DTR_OPT_SYSLIBDIR="$prefix/share/dtr"
script='BEGIN { @[1, "a b"] = sum(1); @[2, "c"] = sum(7); @[2, "c"] = sum(7); }
	BEGIN { @q = quantize(5); @q = quantize(6); @q = quantize(0); @t[curpsinfo->pr_pid - pid] = max(3); exit(4); }'
want=$(printf '@\t1\ta b\t1\n@\t2\tc\t14\n@q\t3\n\t0 to 0: 1\n\t4 to 7: 2\n@t\t0\t3')
for name in shared static; do
	for engine in auto user; do
		DTR_OPT_ENGINE=$engine run "$work/$name" "$script"
		is "$status:$out" "4:$want" "the $name library, engine $engine"
	done
done
comment=$(sed -n "s|^ \*[[:blank:]]*\./aggregations '\(.*\)'\$|\1|p" "$SRC/docs/examples/aggregations.c")
DTR_OPT_ENGINE=user run "$work/shared" "$comment /* */ tick-50ms { exit(3); }"
is "$status" 3 "the command in the example's comment"
run "$work/shared" 'BEGIN { nonsense }'
is "$status:$out" 1: 'a script with an error'
like "$err" '^aggregations: .*nonsense' 'is reported on standard error'

MAKEFLAGS='' make -s -C "$here" uninstall DESTDIR="$root" >"$work/log" 2>&1 || diag "$work/log"
is "$(find "$root" ! -type d)" '' 'make uninstall removes everything'
done_testing
