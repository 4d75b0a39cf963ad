#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr ends, in whatever way, while it places or removes probes in a process: the code of the process is as before.
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf 'the pid provider' || { echo '1..0 # SKIP needs BPF'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP instructions are decoded only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1

# So many functions that placing and removing probes takes a while: without uprobe_multi (Linux 6.6), 20 ms each.
case $(uname -r) in [1-5].* | 6.[0-5].*) n=100 ;; *) n=4000 ;; esac
awk -v n=$n 'BEGIN {
	for (i = 0; i < n; i++)
		printf "int f%d(int x) { return x + %d; }\n", i, i
	print "#include <unistd.h>\nint main(void) { for (;;) pause(); }"
}' >many.c
gcc -O1 -o many many.c
./many &
target=$!
children="$children $target"
has_begun() { grep -qs '(many) S' /proc/$target/stat; }
wait_until has_begun

for row in placing:9:SIGKILL placing:2:SIGINT placing:15:SIGTERM removing:9:SIGKILL; do
	IFS=: read -r when signal name <<X
$row
X
	end=
	[ $when = placing ] || end='BEGIN { exit(0); }'
	for i in 1 2 3; do
		run "$here/tests/kernel/breaks" $target $when $signal "$DTR" -q -o out -n \
			"pid\$target:a.out:f*:entry { @ = count(); } $end" -p $target
		[ "$status" = 0 ] || break
	done
	is "$status:$out" 0: "$name while dtr is $when probes"
done
done_testing
