# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What tools/debian13 and tools/need report when they cannot do their work. They change nothing here.
. "$SRC/tests/lib/tap.sh"
export DTR_DEBIAN13="$work/tree"
root=
[ "$(id -u)" != 0 ] || root=yes

is "$(sh "$SRC/tools/debian13" root)" "$work/tree/root" 'the path of the tree'
run sh "$SRC/tools/debian13" build
like "$status:$err" '^1:debian13: usage: debian13 setup' 'a usage message'
if [ $root ]; then
	run sh "$SRC/tools/debian13" run true
	is "$status:$err" '1:debian13: no tree: run debian13 setup' 'run without a tree'
	run sh "$SRC/tools/debian13" run -s "$work/missing" true
	like "$status:$err" '^1:.*debian13: no such folder: .*/missing$' 'run with a source that does not exist'
else
	run sh "$SRC/tools/debian13" setup
	is "$status:$err" '77:debian13: needs root' 'setup without root: status 77'
fi
is "$(ls "$work/tree" 2>/dev/null)" '' 'nothing was made'

# A system of two installed packages.
mkdir "$work/bin"
cat >"$work/bin/dpkg-query" <<'END'
#!/bin/sh
for name; do :; done
case $name in dtr-one | dtr-two) echo install ok installed ;; *) exit 1 ;; esac
END
cat >"$work/bin/id" <<'END'
#!/bin/sh
echo 1000
END
chmod +x "$work/bin/dpkg-query" "$work/bin/id"
PATH=$work/bin:$PATH run sh "$SRC/tools/need" dtr-one dtr-two 'dtr-three|dtr-two'
is "$status:$out$err" 0: 'need: everything is installed, or an alternative of it'
PATH=$work/bin:$PATH run sh "$SRC/tools/need" dtr-one dtr-three 'dtr-four|dtr-five'
is "$status:$out$err" '1:packages: missing (run as root to install them): dtr-three dtr-four|dtr-five' \
	'need: names what is missing'
done_testing
