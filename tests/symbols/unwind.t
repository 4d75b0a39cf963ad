# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks by unwinding tables, of programs that have no frame pointers and whose stacks are known: unwound.c, in every form in
# which a program can be. As an ordinary user; as root too, where kernel code is seen.
. "$SRC/tests/lib/tap.sh"
# shellcheck disable=SC2086 # $as is a command of one or two words
:
unwound=$here/tests/symbols/unwound
library=$unwound-library.so
as=$here/tests/kernel/as_user
"$as" test -x "$DTR" || { echo '1..0 # SKIP another user cannot read the build'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is for x86-64 so far'; exit 0 ;; esac
run $as "$DTR" -x engine=user -qn 'profile-997 { exit(0); }' -c "$unwound plain 50"
case $err in # of kernels that allow users no perf events, root's
*'no program counters'*) [ "$(id -u)" = 0 ] || { echo '1..0 # SKIP no perf events'; exit 0; }
	as="$as root" ;;
esac
chmod 755 "$work"

skip() { # NAME WHY
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# COMMAND [OPTION...]: its stacks, a line each, outermost first, without the names of files
SCRIPT='profile-997 /pid == $target/ { @[ustack()] = count(); }'
folded() {
	tap_command=$1
	shift
	run $as "$DTR" -x engine=user -O folded "$@" -qn "$SCRIPT" -c "$tap_command"
	out=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
}

# NAME BETWEEN [FOREIGN]: the stacks in $out are those of the program, with these functions between inner and spin.
#
# Every stack that is in spin, or in what spin calls (the clock, the linker when it is called first), must have exactly these
# frames above it: tables hold at each instruction, so there is no chance in it. How many there are: the thread fires once in
# each interval that it has run, one that asks for N ms spins at least N ms; so at least 0.997 N less one a thread. An interval
# whose sample the kernel did not take (it held interrupts off, or the machine the processor) is a firing without frames;
# those are few on an idle machine, no bound holds on a busy one: half must be stacks. FOREIGN samples know of no such firings.
chain_is() {
	spun=$(printf '%s\n' "$out" | awk '$1 == "spun" { print $2 }')
	printf '%s\n' "$out" | awk -v "between=$2" -v "spun=$spun" -v "foreign=$3" '
		$1 == "spun" || !NF { next }
		{ n = $NF; sub(/ [0-9]+$/, "") }
		/;spin(;|$)/ {
			if ($0 ~ "^(_start;[^;]*;([^;]*;)?main|[^;]*;[^;]*;thread);outer;middle;inner;" between "spin(;[^;]*)*$")
				good += n
			else { bad += n; if (bad < 4) print "bad: " $0 }
			next
		}
		/(^|;)spin(;|$)/ { bad += n; print "bad: " $0 }
		$0 == "(no frames)" { none += n }
		END {
			print "good " good + 0 " bad " bad + 0 " without frames " none + 0
			exit !(!bad && spun && good >= spun / 2 && (foreign || good + none >= spun * 0.997 - 6))
		}' >"$work/judged"
	ok $? "$1" "spun $spun" "$(cat "$work/judged")" "$err"
}

# What lies between a function that raises a signal and its handler is the C library's, and may have no names.
signal='by_signal;[^;]*;[^;]*;([^;]*;)?([^;]*;)?handler;'

# ---- every form of a program ----
folded "$unwound plain 200"
chain_is 'a position independent program' ''
folded "$unwound plain 150" -x unwind=fp
unlike "$out" 'middle;inner;spin' 'which frame pointers do not tell'
folded "$unwound plain 150" -x unwind=dwarf
chain_is '-x unwind=dwarf' ''
folded "$unwound-fixed plain 150"
chain_is 'at a fixed address' ''
folded "$unwound-static plain 150"
chain_is 'linked statically' ''
folded "$unwound-debug plain 150"
chain_is 'tables in .debug_frame only' ''
folded "$unwound signal 150"
chain_is 'through a signal handler' "$signal"
folded "$unwound library 150 $library"
chain_is 'through a shared object' 'by_library;unwound_library;hidden;'
folded "$unwound pointer 150"
chain_is 'through code that has a frame pointer and no tables' 'pointer;by_pointer;'
folded "$unwound aligned 150"
chain_is 'through a stack that was aligned' 'aligned;'
folded "$unwound threads 150"
chain_is 'four threads' ''
folded "$unwound-fixed signal 150"
chain_is 'a signal handler of a program at a fixed address' "$signal"

if command -v strip >/dev/null; then
	strip -o "$work/stripped" "$unwound"
	chmod 755 "$work/stripped"
	run $as "$DTR" -x engine=user -qn 'profile-997 /pid == $target/ { @[ustackdepth] = count(); }' -c "$work/stripped plain 150"
	between "$(printf '%s\n' "$out" | awk '$1 == 8 { print $2 }')" 75 180 'a stripped program: eight frames, without names'
	nm "$unwound" >"$work/nm"
	run $as "$DTR" -x engine=user -qn 'profile-997 /pid == $target/ { @[ustack()] = count(); }' -c "$work/stripped library 150 $library"
	like "$(printf '%s\n' "$out" | grep -A3 hidden)" 'unwound_library' 'and its library'
else
	skip 'a stripped program' 'no binutils'
fi

# A process of 32 bits: without the C library, which may not be there.
cat >"$work/32.s" <<'EOF'
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_undefined eip
	call outer
	movl $1, %eax
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
	movl $600000000, %ecx
1:	decl %ecx
	jnz 1b
	addl $12, %esp
	.cfi_adjust_cfa_offset -12
	ret
	.cfi_endproc
	.size spin, .-spin
EOF
if as --32 -o "$work/32.o" "$work/32.s" 2>/dev/null && ld -m elf_i386 -o "$work/32" "$work/32.o" 2>/dev/null && "$work/32" 2>/dev/null; then
	folded "$work/32"
	# a loop of so many turns takes 60 ms at 10 GHz
	between "$(printf '%s\n' "$out" | awk '$1 == "_start;outer;spin" { print $2 }')" 40 100000 'a process of 32 bits'
	unlike "$out" '(^|[^r];)spin ' 'has no other stacks there'
else
	skip 'a process of 32 bits' 'no such assembler, or no such processes'
fi

# ---- what is deeper than the copy, what lies elsewhere ----
run $as "$DTR" -x engine=user -qn 'profile-997 /pid == $target/ { @[ustackdepth > 200 ? ustackdepth : 0] = count(); }' -c "$unwound deep 150"
like "$err" 'stacks of processes are deeper than what was copied of them: -x unwindsize=16k' 'a deep stack is cut, which is told'
between "$(printf '%s\n' "$out" | awk '$1 > 200 && $1 < 1000 { n += $2 } END { print n }')" 75 180 'what is in the copy is there'
run $as "$DTR" -x engine=user -x unwindsize=63k -qn 'profile-197 /pid == $target/ { @[ustackdepth > 1000 ? 1 : 0] = count(); }' -c "$unwound deep 150"
between "$(printf '%s\n' "$out" | awk '$1 == 1 { print $2 }')" 14 50 '-x unwindsize: a thousand frames'
is "$err" '' 'then nothing lacks'
folded "$unwound moved 150"
like "$out" '^(elsewhere;)?spin [0-9]{2,}$' 'a stack that is left to nowhere ends there'
unlike "$out" '(main|outer);.*spin' 'and has no callers made up'

# ---- processes that end, programs that are removed, at a high rate ----
cp "$unwound" "$work/gone"
printf '#!/bin/sh\n%s plain 150\nrm %s\n' "$work/gone" "$work/gone" >"$work/once"
chmod 755 "$work/once" "$work/gone"
chmod 777 "$work"
run $as "$DTR" -x engine=user -x switchrate=1s -O folded -qn 'profile-997 /execname == "gone"/ { @[ustack()] = count(); }' -c "$work/once"
out=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
chain_is 'a program that has ended and was removed' ''

$as "$unwound" threads 600 >"$work/ran" &
target=$!
children="$children $target"
until [ "$(cat "/proc/$target/comm" 2>/dev/null)" = unwound ] || ! kill -0 $target 2>/dev/null; do sleep 0.02; done
run $as "$DTR" -x engine=user -x unwindsize=1k -qn 'profile-4999 /pid == $target/ { @d[ustackdepth] = count(); @["all"] = count(); }' -p $target
unlike "$err" 'drop' '-p, threads, 5000 a second for seconds: no drop'
all=$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')
between "$all" 5000 22000 'thousands of samples'
# 7 frames in spin; the clock and the end of a thread have others; an interval whose sample was not taken has none
between "$(printf '%s\n' "$out" | awk '$1 ~ /^[0-9]+$/ && $1 > 0 { n += $2 } $1 ~ /^[0-9]+$/ && $1 >= 7 { whole += $2 } END { print whole / n }')" 0.9 1 'whose stacks are whole'

# ---- recordings ----
run $as "$DTR" record -x engine=user -qg -F 997 -o "$work/a.rec" -c "$unwound signal 150"
spun=$out
run "$DTR" -O folded -r "$work/a.rec" -qn "profile-997 /execname == \"unwound\"/ { @[ustack()] = count(); }"
out="$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
$spun"
chain_is 'dtr record -g, asked later' "$signal"

if $as perf record -q -N -F 997 --call-graph dwarf -o "$work/perf.data" "$unwound" signal 150 >"$work/spun" 2>/dev/null; then
	chmod 644 "$work/perf.data"
	run "$DTR" -O folded -r "$work/perf.data" -qn 'profile-997 /execname == "unwound"/ { @[ustack()] = count(); }'
	out="$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
$(cat "$work/spun")"
	chain_is 'perf record --call-graph dwarf, asked by dtr -r' "$signal" foreign
	cp "$unwound" "$work/unwound"
	chmod 755 "$work/unwound"
	$as perf record -q -N -F 997 --call-graph dwarf -o "$work/perf.data" "$work/unwound" plain 200 >/dev/null 2>&1
	cp "$unwound-fixed" "$work/unwound"
	run env HOME="$work/none" "$DTR" -r "$work/perf.data" -qn 'profile-997 /execname == "unwound"/ { @[ustack()] = count(); }'
	is "$status" 0 'a program that is another one now'
	like "$err" 'stacks may lack frames: .*/unwound cannot be read, or is another file now' 'is told'
	unlike "$out" 'outer|middle' 'and not believed'
else
	skip 'perf record --call-graph dwarf' 'no perf'
fi

# ---- tables that anybody may have written ----
if command -v objcopy >/dev/null; then
	for seed in 1 2 3 4 5 6 7 8; do
		objcopy -O binary --only-section=.eh_frame --set-section-flags .eh_frame=alloc "$unwound" "$work/frame"
		size=$(wc -c <"$work/frame")
		awk -v seed=$seed -v size="$size" 'BEGIN { srand(seed); for (i = 0; i < size; i++) printf "%c", int(rand() * 256) }' |
			LC_ALL=C head -c "$size" >"$work/noise"
		# half of them: noise all over; the others: a few bytes of it
		if [ $((seed % 2)) = 0 ]; then
			for at in 20 33 60 95 130; do
				dd if="$work/noise" of="$work/frame" bs=1 count=3 skip=$at seek=$((at + seed)) conv=notrunc 2>/dev/null
			done
		else
			cp "$work/noise" "$work/frame"
		fi
		cp "$unwound" "$work/broken"
		objcopy --update-section .eh_frame="$work/frame" "$work/broken" 2>/dev/null
		chmod 755 "$work/broken"
		run $as "$DTR" -x engine=user -qn "$SCRIPT" -c "$work/broken plain 60"
		is "$status" 0 "broken tables, $seed"
	done
fi
cp "$unwound" "$work/closed"
chmod 755 "$work/closed"
chmod 777 "$work"
$as "$work/closed" plain 1500 >/dev/null &
target=$!
children="$children $target"
until [ "$(cat "/proc/$target/comm" 2>/dev/null)" = closed ] || ! kill -0 $target 2>/dev/null; do sleep 0.02; done
chmod 0 "$work/closed"
run $as "$DTR" -x engine=user -qn "$SCRIPT tick-300ms { exit(0); }" -p $target
is "$status" 0 'a program that cannot be read'
case $as in *' root') ;; *) like "$err" 'stacks may lack frames: .*/closed cannot be read' 'is told' ;; esac
kill $target 2>/dev/null

# ---- options ----
run "$DTR" -x unwind=gdb -qn 'BEGIN { exit(0); }'
like "$err" 'not auto, dwarf or fp' '-x unwind has three values'
run "$DTR" -x unwindsize=64k -qn 'BEGIN { exit(0); }'
like "$err" 'must be from 512 to 63k' '-x unwindsize has a bound'
if "$here/tests/kernel/can_bpf" >/dev/null; then
	run "$DTR" -x engine=bpf -x unwind=dwarf -qn 'BEGIN { exit(0); }'
	like "$err" 'programs in the kernel find callers by frame pointers: -x unwind=dwarf needs -x engine=user' 'the kernel does not unwind'
fi
if command -v prlimit >/dev/null; then
	run $as prlimit --memlock=65536 "$DTR" -x engine=user -x unwind=dwarf -x unwindsize=63k -qn "$SCRIPT" -c "$unwound plain 50"
	[ "$(id -u)" != 0 ] || like "$err" '(too little|no) memory may be locked' 'copies that there is no room for are refused'
fi
if [ "$(id -u)" = 0 ]; then
	run "$DTR" -x engine=user -O folded -qn "$SCRIPT" -c "$unwound signal 150"
	out=$(printf '%s\n' "$out" | sed 's/[^;`]*`//g')
	chain_is 'as root' "$signal"
fi
done_testing
