# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# User stacks of thousands of threads, processes and files: each is right, or lacks frames and is counted.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
"$here/tests/kernel/can_bpf" >/dev/null || { echo '1..0 # SKIP BPF is not available'; exit 0; }
cd "$work" || exit 1
swarm=$here/tests/kernel/swarm
mkdir dir

# Prints "COUNT FRAME;FRAME;...", outermost frame first, for each row of $out.
rows() {
	awk '/^#/ { print substr($0, 2) " " s; s = ""; next }
		NF { sub(/^ +/, ""); sub(/[+]0x[0-9a-f]+$/, ""); sub(/^.*`/, ""); s = $0 (s == "" ? "" : ";") s }' out
}
# stacks PREDICATE OPTIONS...: the stacks at which the target and its descendants call getppid().
stacks() {
	predicate=$1
	shift
	run "$DTR" -x ledger=off -x aggsize=64m -qn "syscall::getppid:entry /$predicate/ { @[ustack()] = count(); }
		END { printa(\"%k\n#%@d\n\", @); }" "$@"
	rows >rows
}
# The stacks that dtr reports as lacking frames. A share of up to one in 200 need not be reported.
reported() {
	printf '%s\n' "$err" | awk -v all="$1" '/user stacks lack frames/ {
		for (i = 1; i < NF; i++) if ($i == "of") n = $(i - 1) } END { print n ? n : int(all / 200) }'
}
# check N REGEX NAME: there were N stacks; those that do not match are no more than were reported.
check() {
	is "$(awk '{ n += $1 } END { print n + 0 }' rows)" "$1" "$3: each stack is in a row"
	wrong=$(awk -v regex="$2" '{ s = $0; sub(/^[0-9]+ /, "", s) } s !~ regex { n += $1 } END { print n + 0 }' rows)
	between "$wrong" 0 "$(reported "$1")" "$3: each stack is complete, or counted"
	is "$(grep -c 'drops' "$work/err")" 0 "$3: no drops"
}

# ---- threads ----
# numbers ALL DEPTH: prints how many distinct numbers of threads the complete stacks of swarm's threads have, and how
# many stacks are not complete.
cat >numbers.awk <<'EOF'
{
	count = $1
	sub(/^[0-9]+ /, "")
	n = split($0, frame, ";")
	number = calls = 0
	for (i = 1; i <= n; i++)
		if (frame[i] == "zero" || frame[i] == "one") {
			number = number * 2 + (frame[i] == "one")
			calls++
		}
	if (calls == depth && count == 1 && $0 ~ /(^|;)start(;go;(zero|one))+;go;(__)?getppid$/ && number < all)
		seen[number] = 1
	else
		wrong += count
}
END {
	for (number in seen)
		right++
	print right + 0, wrong + 0
}
EOF
numbers() { awk -v all="$1" -v depth="$2" -f numbers.awk rows; }

THREADS=10000 DEPTH=20
mkfifo line
"$swarm" wait threads $THREADS $DEPTH <line >pid 2>swarm.err &
swarm_pid=$!
children="$children $swarm_pid"
exec 7>line
wait_until test -s pid
# With -p its tables are loaded before it goes on.
"$DTR" -x ledger=off -x aggsize=64m -qn 'BEGIN { printf("begun\n"); }
	syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }
	END { printf("\n"); printa("%k\n#%@d\n", @); }' -p "$(cat pid)" >out 2>err </dev/null &
dtr_pid=$!
children="$children $dtr_pid"
wait_for begun out
echo >&7
wait $dtr_pid
status=$? err=$(cat err)
wait $swarm_pid
if [ $? = 77 ]; then
	skip "$THREADS threads" "this system does not allow $THREADS threads"
else
	is "$status" 0 "$THREADS threads: dtr ends with the process"
	sed -i '/^begun$/d' out
	rows >rows
	is "$(numbers $THREADS $DEPTH)" "$THREADS 0" "$THREADS threads: each has its own stack"
	unlike "begun $err" 'lack frames|drops' "$THREADS threads: nothing is lost"
fi
exec 7>&-

# With -c its mappings are known as soon as it has made them, before its first stack is needed.
ticks() { grep -c '^tick$' out; }
ticked() { [ "$(ticks)" -gt "$1" ]; }
"$DTR" -x ledger=off -x aggsize=64m -qn 'int going; tick-20ms /!going/ { printf("tick\n"); }
	syscall::getppid:entry /pid == $target/ { going = 1; @[ustack()] = count(); }
	END { printf("\n"); printa("%k\n#%@d\n", @); }' -c "$swarm wait threads 2000 $DEPTH" <line >out 2>err &
dtr_pid=$!
children="$children $dtr_pid"
exec 7>line
wait_until grep -Eq '^[0-9]+$' out	# it runs
wait_until ticked $(($(ticks) + 2))	# dtr has read what was reported until then
echo >&7
wait $dtr_pid
err=$(cat err)
sed -i '/^tick$/d; /^[0-9]*$/d' out
rows >rows
is "$(numbers 2000 $DEPTH)" '2000 0' 'threads of a command: each has its own stack'
unlike "begun $err" 'lack frames|drops' 'threads of a command: nothing is lost'
exec 7>&-

# At once: until the mappings of a process are known, its stacks are copied.
stacks 'pid == $target' -c "$swarm threads 2000 $DEPTH"
# shellcheck disable=SC2046 # two numbers
set -- $(numbers 2000 $DEPTH)
is "$(($1 + $2))" 2000 'threads of a new process: each stack is in a row'
between "$2" 0 "$(reported 2000)" 'threads of a new process: each stack is complete, or counted'

# ---- processes ----
gcc=$(command -v gcc || command -v clang || echo cc)
make_tiny() {
	$gcc -O2 -fomit-frame-pointer -static -nostdlib -fno-stack-protector "$@" "$SRC/tests/stacks/tiny.c" 2>cc.err
}
if make_tiny -o tiny && make_tiny -DNOWHERE -o nowhere; then
	TINY='^_start;first;middle;inner$'
	stacks 'progenyof($target)' -c "$swarm spawn 2000 ./tiny"
	check 2000 "$TINY" 'short processes'
	stacks 'progenyof($target)' -c "$swarm programs 300 ./tiny dir"
	check 300 "$TINY" 'programs'
	stacks 'progenyof($target)' -c "$swarm gone 300 ./tiny dir"
	check 300 "$TINY" 'programs that are removed while they run'
	stacks 'progenyof($target)' -c "$swarm spawn 20 ./nowhere"
	check 20 "$TINY" 'a stack pointer to no memory'
	like "$err" '20 of 20 user stacks lack frames \(20 in memory that could not be read\)' \
		'a stack pointer to no memory: the cause'
else
	skip 'processes' "no static program without libraries: $(head -n 1 cc.err)"
fi

# ---- libraries ----
if $gcc -O2 -fomit-frame-pointer -shared -fPIC -o plugin.so "$SRC/tests/stacks/plugin.c" 2>cc.err; then
	PLUGIN='^_start;([^;]*;)*plugin_call;plugin_hidden;callback;(__)?getppid$'
	for mode in plugins removed; do
		stacks 'pid == $target' -c "$swarm $mode 500 ./plugin.so dir"
		check 500 "$PLUGIN" "$mode"
	done
	is "$(ls dir)" '' 'no copy is left'
else
	skip 'libraries' "no compiler: $(head -n 1 cc.err)"
fi
done_testing
