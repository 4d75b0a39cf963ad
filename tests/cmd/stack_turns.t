# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks of new processes each have a row of their own until they are read. Far more of them than rows: none is lost,
# whatever printa(), clear() and trunc() do meanwhile.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
"$here/tests/kernel/can_bpf" >/dev/null || { echo '1..0 # SKIP BPF is not available'; exit 0; }
cd "$work" || exit 1
gcc=$(command -v gcc || command -v clang || echo cc)
if ! $gcc -O2 -fomit-frame-pointer -static -nostdlib -fno-stack-protector -o tiny "$SRC/tests/stacks/tiny.c" \
	2>cc.err; then
	echo "1..0 # SKIP no static program without libraries: $(head -n 1 cc.err)"
	exit 0
fi

ln -s "$here/tests/kernel/swarm" swarm
cat >spawner <<'EOF'
#!/bin/sh
while read -r n; do
	./swarm spawn "$n" ./tiny
	echo done
done
EOF
chmod +x spawner

# With aggsize=4k there is room for about 40 rows and 32 stacks on each CPU.
CPUS=$(getconf _NPROCESSORS_CONF)
BATCH=$((4 * CPUS)) BATCHES=32
ALL=$((BATCH * BATCHES))
mkfifo line
lines() { grep -c "^$1\$" out; }
more() { [ "$(lines "$1")" -ge "$2" ]; }

# batches CLAUSES: runs them while ALL processes call getppid() once each. After each batch, it waits until dtr has read
# the handed-over stacks.
batches() {
	"$DTR" -x ledger=on -x aggsize=4k -x switchrate=10ms -qn "tick-10ms { printf(\"tick\n\"); }
		syscall::getppid:entry /execname == \"tiny\" && progenyof(\$target)/ {
			@[ustack()] = count(); @all = count(); } $1
		END { printa(\"%k#%@d\n\", @); printa(\"all %@d\n\", @all); }" -c ./spawner <line >out 2>err &
	dtr_pid=$!
	children="$children $dtr_pid"
	exec 7>line
	for batch in $(seq $BATCHES); do
		echo $BATCH >&7
		wait_until more 'done' "$batch"
		wait_until more tick $(($(lines tick) + 3))
	done
	exec 7>&-
	wait $dtr_pid
	err=$(cat err)
}
# check NAME [N]: in N aggregations, each stack was printed once, complete.
check() {
	is "$(sed -n 's/^all //p' out)" $ALL "$1: all processes were seen"
	is "$(sed -n 's/^ *#//p' out | awk '{ n += $1 } END { print n + 0 }')" $((ALL * ${2:-1})) \
		"$1: each stack was printed once"
	is "$(grep -c '`inner' out) $(grep -c '`_start' out)" \
		"$(grep -c '^ *#' out) $(grep -c '^ *#' out)" "$1: no row lacks frames"
	unlike "begun $err" 'drops|lack frames' "$1: nothing is lost"
}
batches ''
check 'rows that stay'
batches 'tick-30ms { printa("%k#%@d\n", @); clear(@); }'
check 'printa() and clear()'
batches 'tick-30ms { printa("%k#%@d\n", @); trunc(@); }'
check 'printa() and trunc()'
batches 'syscall::getppid:entry /execname == "tiny" && progenyof($target)/ { @other[ustack(), pid] = count(); }
	tick-30ms { printa("%k#%@d\n", @); clear(@); }
	END { printa("%k%d\n#%@d\n", @other); }'
check 'printa() and clear() beside an aggregation that stays' 2
done_testing
