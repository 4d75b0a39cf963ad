# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unwinding tables in the kernel engine: little memory, 32-bit processes, options.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
"$here/tests/kernel/can_bpf" >/dev/null || { echo '1..0 # SKIP BPF is not available'; exit 0; }
cd "$work" || exit 1

# REGEX: samples in rows of $out whose last frame is not the first function of the process
incomplete() {
	printf '%s\n' "$out" | awk -v first="$1" '
		NF == 1 && $1 ~ /^[0-9]+$/ { if (last !~ first) n += $1; last = ""; next }
		NF { last = $0 }
		END { print n + 0 }'
}
STACKS='profile-997 /pid == $target && arg1/ { @[ustack()] = count(); }'

# ---- one megabyte: the tables of large libraries do not fit at once ----
unwound=$here/tests/symbols/unwound
for size in 1m 64m; do
	run "$DTR" -x ledger=off -x unwindtables=$size -qn "$STACKS" -c "$unwound plain 200"
	is "$(incomplete '_start')" 0 "-x unwindtables=$size: every stack is complete"
	like "$out" 'unwound`inner' "-x unwindtables=$size: there are stacks"
done
if command -v clang >/dev/null; then
	awk 'BEGIN { for (i = 0; i < 300; i++) printf "int f%d(int x) { int s = 0; for (int k = 0; k < x; k++) " \
		"s += k * x %% %d ? k : s * x; return s; }\n", i, i + 2 }' >big.c
	run "$DTR" -x ledger=off -x unwindtables=1m -qn "$STACKS
		profile-997 /pid == \$target && arg1/ { @n = count(); } END { printa(\"all %@d\n\", @n); }" \
		-c "clang -O2 -w -c -o /dev/null big.c"
	all=$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')
	rows=$(printf '%s\n' "$out" | awk 'NF == 1 && $1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }')
	is "$rows" "$all" 'tables that do not fit: every sample is in a row'
	between "${all:-0}" 1 1000000 'tables that do not fit: there are samples'
else
	skip 'tables that do not fit' 'no clang'
fi

# ---- more code than there are numbers for ----
run "$DTR" -x ledger=off -qn 'profile-997 /ppid == $target && arg1/ { @[pid] = max(ustackdepth); }' \
	-c "$here/tests/kernel/pieces sparse 6 2 300"
is "$status" 0 'processes with 12 GB of code'
rm -f sparse
walked=$(printf '%s\n' "$out" | awk 'NF == 2 && $2 > 1 { n++ } END { print n + 0 }')
is "$walked" 6 'processes with 12 GB of code: the stacks of each are walked in the kernel'

# ---- the account ----
run "$DTR" -x ledger -O json -qn "$STACKS" -c "$unwound plain 200"
numbers=$(printf '%s\n' "$out" |
	sed -n 's/.*"type":"stacks","all":\([0-9]*\),"walked":\([0-9]*\),"unwound":\([0-9]*\).*/\1 \2 \3/p')
set -- ${numbers:-0 0 0}
is "$(($2 + $3))" "$1" '-x ledger: stacks are walked in the kernel or unwound by dtr'
between "$2" 1 "$1" '-x ledger: stacks are walked in the kernel'
run "$DTR" -x ledger -qn "$STACKS" -c "$unwound plain 200"
like "$err" '^dtr: user stacks: [0-9]+, [0-9]+ \([0-9.]+ %\) with all frames; [0-9]+ walked in the kernel' \
	'-x ledger reports how stacks were unwound'
run "$DTR" -x engine=user -x ledger -qn "$STACKS" -c "$unwound plain 200"
like "$err" '^dtr: user stacks: ([0-9]+), .*; 0 walked in the kernel, [0-9]+ unwound by dtr' \
	'-x ledger reports how stacks were unwound, engine=user'

# ---- 32-bit processes ----
if ! calls32; then
	skip 'a 32-bit process' 'this machine runs none'
elif as --32 -o narrow.o "$SRC/tests/stacks/narrow.s" 2>as.err && ld -m elf_i386 -o narrow narrow.o 2>>as.err; then
	want='narrow`inner narrow`middle narrow`outer narrow`_start'
	for engine in bpf user; do
		run "$DTR" -x engine=$engine -x ledger=off -qn "$STACKS" -c ./narrow
		got=$(printf '%s\n' "$out" | awk 'NF == 1 && $1 !~ /^[0-9]+$/ { sub(/[+]0x.*/, ""); s = s $1 " " }
			NF == 1 && $1 ~ /^[0-9]+$/ { sub(/ $/, "", s); print s; s = "" }' | sort -u)
		is "$got" "$want" "a 32-bit process, engine=$engine"
	done
else
	skip 'a 32-bit process' 'the assembler or the linker makes no 32-bit programs'
fi

# ---- options ----
run "$DTR" -x unwindtables=64k -qn 'BEGIN { exit(0); }'
like "$err" "unwindtables.*must be from 1m to 4g" '-x unwindtables has limits'
run "$DTR" -x engine=bpf -x unwind=tables -qn 'BEGIN { ustack(); exit(0); }'
is "$status" 0 '-x unwind=tables in the kernel engine'
run "$DTR" -x engine=bpf -x unwind=fp -x unwindtables=1m -qn 'BEGIN { ustack(); exit(0); }'
is "$status" 0 '-x unwind=fp in the kernel engine'
done_testing
