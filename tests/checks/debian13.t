# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What tools/debian13 and tools/need report when they cannot do their work. They change nothing here.
. "$SRC/tests/lib/tap.sh"
export DTR_DEBIAN13="$work/tree"
unset NEED_INSTALL NEED_HINT
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
PATH=$work/bin:$PATH NEED_INSTALL=yes run sh "$SRC/tools/need" dtr-one dtr-three 'dtr-four|dtr-five'
is "$status:$out$err" '1:packages: missing (run as root to install them): dtr-three dtr-four|dtr-five' \
	'need: names what is missing'
# Only setup, demo and check may install: here root, with apt-get replaced by a program that leaves a trace.
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
printf '#!/bin/sh\necho "$0 $*" >>"%s/installed"\nexit 1\n' "$work" >"$work/bin/apt-get"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/sleep"
chmod +x "$work/bin/apt-get" "$work/bin/sleep"
PATH=$work/bin:$PATH run sh "$SRC/tools/need" dtr-one dtr-three 'dtr-four|dtr-five'
is "$status:$out$err" '1:packages: missing (./dev setup installs them): dtr-three dtr-four|dtr-five' \
	'need: root that did not ask for packages gets their names'
for command in build 'test tests/unit/test_ir' tests sanitize tarball 'loss 1' 'gen 1' 'genc 1' 'fuzz parse 1' vm \
	bench packages; do
	# shellcheck disable=SC2086
	PATH=$work/bin:$PATH run sh "$SRC/dev" $command
	like "$status:$out$err" '^1:packages: missing \(\./dev setup[ a-z]* installs them\): .*bison' \
		"./dev $command: names the missing packages"
done
is "$(cat "$work/installed" 2>/dev/null)" '' 'none of these commands installs packages'
PATH=$work/bin:$PATH run sh "$SRC/dev" setup
is "$status" 1 'setup cannot reach the mirror'
like "$(cat "$work/installed")" 'apt-get .*update' 'setup does ask for packages'
done_testing
