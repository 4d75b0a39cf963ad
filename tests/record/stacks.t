# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr record -g: stacks in a recording are those of a live session, in both engines. A query can join both stacks.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
chain=$here/tests/symbols/chain

record() { # FILE COMMAND [OPTION...]
	file=$1 command=$2
	shift 2
	run "$DTR" record -q -g -x ledger=off "$@" -o "$file" -c "$command"
}
# QUERY: folded, without modules
folded() { run "$DTR" -r "$file" -q -O folded -n "$1"; }

# PROGRAM, ENGINE: each stack in `spin` or `inner`, where the program is most of its time, has all of its callers
check() { # NAME LEAF CALLERS
	folded 'profile-997 { @[ustack()] = count(); }'
	printf '%s\n' "$out" | sed 's/[^;`]*`//g' | awk -v leaf="$2" -v callers="$3" '
		{ n = $NF; sub(/ [0-9]+$/, "") }
		$0 ~ "(^|;)" leaf "$" { if ($0 ~ callers leaf "$") good += n; else { bad += n; print "bad: " $0 } }
		END { print good + 0, "good", bad + 0, "bad"; exit !(good >= 10 && !bad) }' >judged
	ok $? "$1" "$(cat judged)" "$err"
}
called='main;outer;middle;shape::area[(]int[)];'
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'the kernel engine' || continue
	record rec "$chain 300" -x engine=$engine
	is "$status:$(messages)" 0: "$engine: a recording with stacks"
	check "$engine: the stack of the recorded program" inner "$called"
	folded 'profile-997 { @[stack(), ustack()] = count(); }'
	unlike "$out" 'vmlinux`[^;]*;(chain|libc[^;`]*)`' "$engine: both stacks are one path, the kernel's part on top"
	run "$DTR" -r rec -q -n 'profile-997 /arg1/ { @[ustackdepth >= 5] = count(); }'
	like "$out" '^ +1 +[0-9]+$' "$engine: ustackdepth on a recording"
	run "$DTR" record -q -g -x engine=$engine -x ustackframes=3 -o few.rec -c "$chain 100"
	file=few.rec
	check "$engine: the option for ustack() without a number does not limit a recording" inner "$called"
done

# Without frame pointers, by unwinding tables.
engines=user
! with_bpf 'the kernel engine' || engines='user bpf'
for engine in $engines; do
	record rec "$here/tests/symbols/unwound plain 300" -x engine=$engine
	check "$engine: a program without frame pointers" spin '^_start;.*main;outer;middle;inner;'
done
done_testing
