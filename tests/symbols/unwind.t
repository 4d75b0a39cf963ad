# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks by unwinding tables, of programs without frame pointers and with known stacks: unwound.c, linked in every way.
# As an ordinary user, and as root, where kernel code is sampled, too.
. "$SRC/tests/lib/tap.sh"
# shellcheck disable=SC2086 # $as is a command of one or two words
:
unwound=$here/tests/symbols/unwound
library=$unwound-library.so
as=$here/tests/kernel/as_user
"$as" test -x "$DTR" || { echo '1..0 # SKIP another user cannot read the build'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
run $as "$DTR" -x engine=user -qn 'profile-997 { exit(0); }' -c "$unwound plain 50"
case $err in # if the kernel permits users no perf events, use root
*'no program counters'*) [ "$(id -u)" = 0 ] || { echo '1..0 # SKIP no perf events'; exit 0; }
	as="$as root" ;;
esac
chmod 755 "$work"

# COMMAND [OPTION...]: sets $out to its stacks, one per line, outermost first, without module names; $err has the ledger
SCRIPT='profile-997 /pid == $target/ { @[ustack()] = count(); }'
folded() {
	tap_command=$1
	shift
	run $as "$DTR" -x engine=user -x ledger -O folded "$@" -qn "$SCRIPT" -c "$tap_command"
	out=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
}

# PROBE: prints its ledger in $err as assignments: expected, delivered, made (firings without a sample), rest (all other
# columns).
ledger() {
	printf '%s\n' "$err" | awk -v probe="$1" '/^  probe/ { for (i = 5; i <= NF; i++) name[i + 2] = $i; next }
		$1 == probe && $2 == "all" { for (i = 7; i <= NF; i++) if (name[i] == "(made-up)") made = $i;
		else rest += $i
			print "expected=" $3, "delivered=" $4, "made=" made + 0, "rest=" rest + 0 }'
}

# NAME BETWEEN [root|foreign]: checks that the stacks in $out are those of the program, with the functions BETWEEN inner
# and spin.
#
# Every stack in spin, or in a function that spin calls (the clock, or the linker at the first call), must have exactly
# these callers: tables are correct at each instruction, so the result does not depend on chance. The counts must add
# up:
# - All delivered firings are in the rows.
# - Rows without frames are exactly the firings for which the kernel took no sample (interrupts were disabled, or the
#   machine had no processor).
# - Delivered and lost firings add up to those expected for the run time of the program. The program's own clock
#   includes the time of context switches, which is unbounded on a busy machine, so half of it is enough here;
#   rootless.t tests the run time.
# The number of samples depends on the machine; at least ten are required. As root, stacks in the kernel have no frames,
# either. Samples of kind "foreign" have no ledger.
chain_is() {
	spun=$(printf '%s\n' "$out" | awk '$1 == "spun" { print $2 }')
	# shellcheck disable=SC2046
	printf '%s\n' "$out" | awk -v "between=$2" -v "spun=$spun" -v "kind=$3" '
		$1 == "spun" || !NF { next }
		{ n = $NF; all += n; sub(/ [0-9]+$/, "") }
		/;spin(;|$)/ {
			if ($0 ~ "^(_start;[^;]*;([^;]*;)?main|[^;]*;[^;]*;thread);outer;middle;inner;" between '\
'"spin(;[^;]*)*$")
				good += n
			else { bad += n; if (bad < 4) print "bad: " $0 }
			next
		}
		/(^|;)spin(;|$)|clock_gettime/ { bad += n; print "bad: " $0 }
		$0 == "(no frames)" { none += n }
		END {
			print "good", good + 0, "bad", bad + 0, "without frames", none + 0, "all", all + 0
			if (bad || !spun || good < 10) exit 1
			if (kind == "foreign") exit 0
			exit !(all == delivered && (kind == "root" || none == made + 0) &&
			expected == delivered + rest && expected >= spun / 2)
		}' $(ledger profile-997) - >"$work/judged"
	ok $? "$1" "spun $spun" "$(cat "$work/judged")" "$err"
}

# DEPTH PROBE NAME: checks the rows "depth count" in $out: at least half of the samples have this depth, and all rows
# add up to the delivered firings.
deep_enough() {
	# shellcheck disable=SC2046
	printf '%s\n' "$out" | awk -v least="$1" '$1 ~ /^[0-9]+$/ { all += $2 } $1 ~ /^[0-9]+$/ && $1 >= least {
		deep += $2 } $1 == "0" { none += $2 }
		END { print "deep", deep + 0, "none", none + 0, "all", all + 0
			exit !(deep >= 10 && deep >= (delivered - made) / 2 && all == delivered &&
			none == made + 0) }' $(ledger "$2") - >"$work/judged"
	ok $? "$3" "$(cat "$work/judged")" "$out" "$err"
}

# FILE, in a script that dtr runs: waits until dtr has opened the file, which it does when a process has mapped it.
cat >"$work/until-open" <<'EOF'
until ls -l "/proc/$PPID/fd" | grep -q "$1"; do sleep 0.05; done
EOF

# The frames between a function that raises a signal and the handler belong to the C library and may have no symbols.
signal='by_signal;[^;]*;[^;]*;([^;]*;)?([^;]*;)?handler;'

# ---- every form of a program ----
folded "$unwound plain 200"
chain_is 'a position-independent program' ''
folded "$unwound plain 150" -x unwind=fp
unlike "$out" 'middle;inner;spin' 'unwind=fp does not find these frames'
folded "$unwound plain 150" -x unwind=tables
chain_is '-x unwind=tables' ''
folded "$unwound-fixed plain 150"
chain_is 'a program at a fixed address' ''
folded "$unwound-static plain 150"
chain_is 'a statically linked program' ''
folded "$unwound-debug plain 150"
chain_is 'a program with tables only in .debug_frame' ''
folded "$unwound signal 150"
chain_is 'through a signal handler' "$signal"
folded "$unwound library 150 $library"
chain_is 'through a shared object' 'by_library;unwound_library;hidden;'
folded "$unwound pointer 150"
chain_is 'through code with a frame pointer but without tables' 'pointer;by_pointer;'
folded "$unwound aligned 150"
chain_is 'through a function that aligns its stack' 'aligned;'
folded "$unwound threads 150"
chain_is 'four threads' ''
folded "$unwound-fixed signal 150"
chain_is 'a signal handler of a program at a fixed address' "$signal"

if command -v strip >/dev/null; then
	strip -o "$work/stripped" "$unwound"
	chmod 755 "$work/stripped"
	run $as "$DTR" -x engine=user -x ledger -qn 'profile-997 /pid == $target/ { @[ustackdepth] = count(); }' -c \
		"$work/stripped plain 150"
	deep_enough 8 profile-997 'a stripped program: eight frames without symbols'
	nm "$unwound" >"$work/nm"
	run $as "$DTR" -x engine=user -qn 'profile-997 /pid == $target/ { @[ustack()] = count(); }' -c \
		"$work/stripped library 150 $library"
	like "$(printf '%s\n' "$out" | grep -A3 hidden)" 'unwound_library' 'a stripped program: frames of its library'
else
	skip 'a stripped program' 'no binutils'
fi

# A 32-bit process without the C library, which may not be installed.
cat >"$work/32.s" <<'EOF'
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_undefined eip
	cmpl $1, (%esp)
	jne 1f
	call outer
1:	movl $1, %eax
	xorl %ebx, %ebx
	int $0x80
	hlt
	.cfi_endproc
	.size _start, .-_start
	.type outer, @function
outer:
	.cfi_startproc
	subl $28, %esp
	.cfi_adjust_cfa_offset 28
	pushl %ebx
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset ebx, 0
	call spin
	popl %ebx
	.cfi_adjust_cfa_offset -4
	addl $28, %esp
	.cfi_adjust_cfa_offset -28
	ret
	.cfi_endproc
	.size outer, .-outer
	.type spin, @function
spin:
	.cfi_startproc
	subl $12, %esp
	.cfi_adjust_cfa_offset 12
1:	jmp 1b
	addl $12, %esp
	.cfi_adjust_cfa_offset -12
	ret
	.cfi_endproc
	.size spin, .-spin
EOF
if calls32 && as --32 -o "$work/32.o" "$work/32.s" 2>/dev/null &&
	ld -m elf_i386 -o "$work/32" "$work/32.o" 2>/dev/null &&
	"$work/32" end 2>/dev/null; then
	plain=$SCRIPT
	SCRIPT="$SCRIPT"' profile-997 /pid == $target && arg1 && ++n == 100/ { exit(0); }'
	folded "$work/32"
	SCRIPT=$plain
	between "$(printf '%s\n' "$out" | awk '$1 == "_start;outer;spin" { print $2 }')" 90 100000 \
		'a 32-bit process'
	unlike "$out" '(^|[^r];)spin ' 'a 32-bit process: no other stacks in spin'
else
	skip 'a 32-bit process' 'no assembler for it, or the kernel does not run it'
fi

# ---- stacks that exceed the copied part, stacks elsewhere ----
DEPTH='/pid == $target/ { @[ustackdepth > 1000 ? 1000 : ustackdepth > 200 ? 200 : ustackdepth] = count(); }'
run $as "$DTR" -x engine=user -x maxframes=1024 -x ledger -qn "profile-997 $DEPTH" -c "$unwound deep 150"
like "$err" 'user stacks exceed the copied part: use -x unwindsize=16k' \
	'a deep stack is truncated, and a warning says so'
unlike "$out" '^ +1000 ' 'a deep stack is not complete'
deep_enough 200 profile-997 'a deep stack has the frames of the copied part'
run $as "$DTR" -x engine=user -x maxframes=1024 -x unwindsize=63k -x ledger -qn "profile-197 $DEPTH" -c \
	"$unwound deep 250"
deep_enough 1000 profile-197 '-x unwindsize: a thousand frames'
unlike "$err" 'deeper' '-x unwindsize: no warning'
folded "$unwound moved 150"
like "$out" '^(elsewhere;)?spin [0-9]{2,}$' 'a stack without a way back ends there'
unlike "$out" '(main|outer);.*spin' 'a stack without a way back has no invented callers'

# ---- processes that end, programs that are removed, at a high rate ----
cp "$unwound" "$work/gone"
printf '#!/bin/sh\n%s plain 150\nset -- %s\n. %s\nrm %s\n' "$work/gone" "$work/gone" "$work/until-open" "$work/gone" \
	>"$work/once"
chmod 755 "$work/once" "$work/gone"
chmod 777 "$work"
run $as "$DTR" -x engine=user -x switchrate=1s -x ledger -O folded -qn 'profile-997 /execname == "gone"/ {
	@[ustack()] = count(); }' -c "$work/once"
out=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
chain_is 'a program that has ended and was removed' '' foreign

# A running program, which is ended after enough samples. Samples that were lost because dtr had no CPU are in the
# ledger.
target_is() { # NAME COMMAND...
	tap_name=$1
	shift
	$as "$@" >"$work/ran" &
	target=$!
	children="$children $target"
	until [ "$(cat "/proc/$target/comm" 2>/dev/null)" = $tap_name ] || ! kill -0 $target 2>/dev/null
	do sleep 0.02; done
}
target_is unwound "$unwound" threads 100000
run $as "$DTR" -x engine=user -x unwindsize=1k -x ledger -p $target \
	-qn 'profile-4999 /pid == $target/ { @[ustackdepth] = count(); } profile-4999 /ustackdepth >= 7 &&
	++n == 6000/ { exit(0); }'
stop $target
between "$(printf '%s\n' "$out" | awk '$1 >= 7 { n += $2 } END { print n }')" 6000 1000000 \
	'-p, threads, 4999 Hz: thousands of complete stacks'
# 7 frames in spin; the clock and the end of a thread have other depths; an interval without a sample has no frames
deep_enough 7 profile-4999 '-p, threads, 4999 Hz: most samples have complete stacks'

# ---- recordings ----
run $as "$DTR" record -x engine=user -g -F 997 -o "$work/a.rec" -c "$unwound signal 150"
spun=$out
told=$(printf '%s\n' "$err" | awk '/ samples,/ { print $2, $4 }') # samples, lost
run "$DTR" -O folded -r "$work/a.rec" -qn 'profile-997 { @[ustack()] = count(); }'
all=$(printf '%s\n' "$out" | awk '{ n += $NF } END { print n }')
same "$all" "${told% *}" 'a recording contains each sample'
between $((all + ${told#* })) "$(echo "$spun" | awk '{ print $2 / 2 }')" 1000000 \
	'samples and losses agree with the CPU time'
out="$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
$spun"
chain_is 'a recording has complete stacks' "$signal" foreign

if $as perf record -q -N -F 997 --call-graph dwarf -o "$work/perf.data" "$unwound" signal 150 >"$work/spun" \
	2>/dev/null; then
	chmod 644 "$work/perf.data"
	run "$DTR" -O folded -r "$work/perf.data" -qn 'profile-997 /execname == "unwound"/ { @[ustack()] = count(); }'
	out="$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
$(cat "$work/spun")"
	chain_is 'perf record --call-graph dwarf, queried by dtr -r' "$signal" foreign
	cp "$unwound" "$work/unwound"
	chmod 755 "$work/unwound"
	$as perf record -q -N -F 997 --call-graph dwarf -o "$work/perf.data" "$work/unwound" plain 200 >/dev/null 2>&1
	cp "$unwound-fixed" "$work/unwound"
	run env HOME="$work/none" "$DTR" -r "$work/perf.data" -qn 'profile-997 /execname == "unwound"/ {
		@[ustack()] = count(); }'
	is "$status" 0 'a query with a replaced program succeeds'
	like "$err" 'stacks may lack frames: .*/unwound cannot be read, or was replaced' \
		'a replaced program is reported'
	unlike "$out" 'outer|middle' 'a replaced program is not used'
else
	skip 'perf record --call-graph dwarf' 'no perf'
fi

# ---- damaged tables ----
if command -v objcopy >/dev/null; then
	for seed in 1 2 3 4 5 6 7 8; do
		objcopy -O binary --only-section=.eh_frame --set-section-flags .eh_frame=alloc "$unwound" "$work/frame"
		size=$(wc -c <"$work/frame")
		awk -v seed=$seed -v size="$size" 'BEGIN { srand(seed); for (i = 0; i < size; i++) printf "%c",
			int(rand() * 256) }' |
			LC_ALL=C head -c "$size" >"$work/noise"
		# odd seeds: all bytes are random; even seeds: a few bytes
		if [ $((seed % 2)) = 0 ]; then
			for at in 20 33 60 95 130; do
				dd if="$work/noise" of="$work/frame" bs=1 count=3 skip=$at seek=$((at + seed)) \
					conv=notrunc 2>/dev/null
			done
		else
			cp "$work/noise" "$work/frame"
		fi
		cp "$unwound" "$work/broken"
		objcopy --update-section .eh_frame="$work/frame" "$work/broken" 2>/dev/null
		! cmp -s "$unwound" "$work/broken"
		ok $? "the tables of seed $seed are changed"
		chmod 755 "$work/broken"
		run $as "$DTR" -x engine=user -qn "$SCRIPT" -c "$work/broken plain 60"
		is "$status:$(printf '%s\n' "$out" | grep -c '^spun 60$')" 0:1 "damaged tables of seed $seed"
	done
else
	skip 'damaged tables' 'no binutils'
fi
cp "$unwound" "$work/closed"
chmod 755 "$work/closed"
chmod 777 "$work"
target_is closed "$work/closed" plain 100000
chmod 0 "$work/closed"
run $as "$DTR" -x engine=user -qn "$SCRIPT"' profile-997 /pid == $target && arg1 && ++n == 50/ { exit(0); }' -p $target
is "$status" 0 'a program that cannot be read is sampled'
case $as in *' root') ;; *) like "$err" 'stacks may lack frames: .*/closed cannot be read' 'a warning' ;; esac
stop $target

# ---- options ----
run "$DTR" -x unwind=gdb -qn 'BEGIN { exit(0); }'
like "$err" 'expected auto, tables or fp' '-x unwind has three values'
run "$DTR" -x unwindsize=64k -qn 'BEGIN { exit(0); }'
like "$err" 'must be from 512 to 63k' '-x unwindsize has limits'
if command -v prlimit >/dev/null; then
	run $as prlimit --memlock=65536 "$DTR" -x engine=user -x unwind=tables -x unwindsize=63k -n "$SCRIPT" -c \
		"$unwound plain 50"
	[ "$(id -u)" != 0 ] || like "$err" 'locked-memory limit is too low' \
		'perf events whose unwindsize needs too much locked memory are not used'
fi
if [ "$(id -u)" = 0 ]; then
	run "$DTR" -x engine=user -x ledger -O folded -qn "$SCRIPT" -c "$unwound signal 150"
	out=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
	chain_is 'as root' "$signal" root
fi
done_testing
