# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The architectures that can be built: configure refuses others in one sentence, and the packages name the same.
. "$SRC/tests/lib/tap.sh"
[ -x "$SRC/configure" ] || { echo '1..0 # SKIP there is no configure'; exit 0; }
mkdir "$work/build" && cd "$work/build" || exit 1

run sh "$SRC/configure" --host=riscv64-linux-gnu
is "$status:$(printf '%s\n' "$err" | grep -c .)" 1:1 'configure ends with one sentence'
is "$err" 'configure: error: dtr can be built for x86_64 and aarch64, not for riscv64' 'which names the architectures'
is "$(printf '%s\n' "$out" | grep -c 'for gcc')" 0 'before it looks for compilers'

[ -f "$SRC/debian/control" ] || { skip 'packages' 'this is not the source tree'; done_testing; exit; }
is "$(sed -n 's/^Architecture: //p' "$SRC/debian/control" | sort -u)" 'all
amd64 arm64' 'packages of Debian'
is "$(sed -n 's/^ExclusiveArch: *//p' "$SRC/packaging/dtr.spec")" 'x86_64 aarch64' 'RPM packages'
done_testing
