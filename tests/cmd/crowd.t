# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A process with 10,000 threads, and one with 50,000 mappings, in both engines: every stack is whole and right, and dtr
# needs little memory.
# long: the kernel makes and ends 40,000 threads
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
any_of python3 || { echo '1..0 # SKIP no python3'; exit 0; }
engines=
if [ "${DTR_OPT_ENGINE-}" != user ] && "$here/tests/kernel/can_bpf" >/dev/null; then engines=bpf; fi
! perf_events || engines="$engines user"
[ -n "$engines" ] || { echo '1..0 # SKIP neither BPF nor perf events'; exit 0; }
cd "$work" || exit 1
crowd=$here/tests/kernel/crowd
MOST=200000		# KB of memory: twice what 10,000 threads need, six times what dtr needs
SCRIPT='profile-997 /pid == $target/ { @[ustack()] = count(); } profile-997 /pid == $target && ++n >= 400/ { exit(0); }'

# COMMAND...: runs it and prints the KB of memory that it has needed at most
cat >peak.py <<'END'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open('peak', 'w'))
sys.exit(status)
END

# Prints how many stacks there are, how many of them are not those of the program, and these.
cat >stacks.awk <<'END'
NF {
	count = $NF
	sub(/ [0-9]+$/, "")
	gsub(/[^;`]*`/, "")
	all += count
	whole = /(^|;)(run|main)(;|$)/ || /^_start(;|$)/ || /^\[kernel\]/ ||
		/^[^;]*clone[^;]*(;start_thread(;_*sig(setjmp|jmp_save))?)?$/
	if (/work$/ && !/;turn;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;work$/)
		whole = 0
	if (/\[truncated\]/ || !whole) {
		wrong += count
		if (shown++ < 5)
			print "# " count ": " $0
	}
	works += /work$/ * count
}
END { print all + 0, wrong + 0, works + 0 }
END

# NAME LEAST OPTION...: samples in all engines. LEAST: samples of work(). A command may have been sampled only while it
# made its threads.
sampled() {
	name=$1 least=$2
	shift 2
	for tap_e in $engines; do
		run python3 peak.py "$DTR" -x engine="$tap_e" -x ledger -O folded -q -n "$SCRIPT" "$@" </dev/null
		is "$status" 0 "$name, engine=$tap_e: runs" "$err"
		printf '%s\n' "$out" | grep -v '^ready$' | awk -f stacks.awk >judged
		# shellcheck disable=SC2046 # three numbers
		set -- $(tail -n 1 judged) "$@"
		[ "$1" -ge 300 ] && [ $(($2 * 200)) -le "$1" ] && [ "$3" -ge "$least" ]
		ok $? "$name, engine=$tap_e: $1 stacks are whole" "$(cat judged)" "$err"
		shift 3
		unlike "begun $err" 'user stacks lack frames' "$name, engine=$tap_e: no stack lacks frames"
		between "$(cat peak)" 1 "$MOST" "$name, engine=$tap_e: memory"
	done
}

# WHAT N: a process that was there before, and a command
both() {
	: >ready		# the last one was ready
	"$crowd" "$1" "$2" >ready 2>why &
	target=$!
	children="$children $target"
	wait_until settled $target
	if grep -q ready ready; then
		sampled "$2 $1" 1 -p $target
		stop $target
		sampled "$2 $1 of a command" 0 -c "$crowd $1 $2"
	else
		wait $target
		skip "$2 $1" "this system does not allow that many: $(head -n 1 why)"
	fi
}
settled() { grep -q ready ready || ! kill -0 "$1" 2>/dev/null; }

both threads 10000
both maps 50000
done_testing
