# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks and symbols, checked against programs with known stacks, nm, and /proc/kallsyms.
. "$SRC/tests/lib/tap.sh"
need_kernel
chain=$here/tests/symbols/chain
fixed=$here/tests/symbols/chain-fixed
library=$here/tests/symbols/library.so
objcopy=$(command -v objcopy) && strip=$(command -v strip) && nm=$(command -v nm) || nm=

# Samples the user stacks of a command; the most frequent stack is the last row of $out.
stacks_of() { # COMMAND
	run "$DTR" -x ledger=off -c "$1" -qn 'profile-997 /pid == $target/ { @[ustack()] = count(); }'
}

# Does a stack have these frames, one after the other?
has_frames() { # TEXT FRAME-REGEX...
	tap_text=$1
	shift
	printf '%s\n' "$tap_text" | awk -v want="$*" '
		BEGIN { n = split(want, w, " "); at = 1 }
		{ if ($1 ~ "^" w[at] "$") { if (at++ == n) { found = 1; exit } } else at = $1 ~ "^" w[1] "$" ? 2 : 1 }
		END { exit !found }'
}

# If many processes are created while dtr has no CPU, it may lose process events. It reports this; symbols may then be
# missing.
notes_lost() { grep -q 'process events were lost' "$work/err"; }

frames() { # NAME FRAME-REGEX...
	tap_name=$1
	shift
	if has_frames "$out" "$@"; then ok 0 "$tap_name"; elif notes_lost; then skip "$tap_name" \
		'process events were lost'; else ok 1 "$tap_name" "want: $*" "got:" "$(printf '%s\n' "$out" |
		tail -15)" "$err"; fi
}

# ---- programs ----
shape='shape::area\\(int\\)'
off='\\+0x[0-9a-f]+'
stacks_of "$chain 300"
frames 'a position-independent program' "chain\`inner$off" "chain\`$shape$off" "chain\`middle$off" "chain\`outer$off" \
	"chain\`main$off"
like "$out" '^ {14}chain`inner' 'frames are indented by 14 blanks'
like "$(printf '%s\n' "$out" | grep -A1 -E '^ +chain`main')" 'libc\.so\.6`' 'the C library calls main'

stacks_of "$fixed 300"
frames 'a program at a fixed address' "chain-fixed\`inner$off" "chain-fixed\`$shape$off" "chain-fixed\`middle$off" \
	"chain-fixed\`outer$off" "chain-fixed\`main$off"

stacks_of "$chain 300 $library"
frames 'a local symbol of a shared object' "library.so\`hidden_loop$off" "library.so\`library_spin$off" \
	"chain\`inner$off"

# ---- stripped ----
if [ -n "$nm" ]; then
	mkdir "$work/.debug"
	"$strip" -o "$work/library.so" "$library"
	stacks_of "$chain 300 $work/library.so"
	frames 'a stripped shared object' "library.so\`(library_spin$off|0x[0-9a-f]+)" \
		"chain\`inner$off"
	like "$out" 'library.so`library_spin\+0x' 'a stripped shared object: exported symbols'
	unlike "$out" 'hidden_loop' 'a stripped shared object: no local symbols'

	"$objcopy" --only-keep-debug "$library" "$work/.debug/library.so.debug"
	(cd "$work/.debug" && "$objcopy" --add-gnu-debuglink=library.so.debug "$work/library.so")
	stacks_of "$chain 300 $work/library.so"
	frames 'a stripped shared object with a debug link' "library.so\`hidden_loop$off" \
		"library.so\`library_spin$off" "chain\`inner$off"

	# a debug file of another build is not used
	"$objcopy" --only-keep-debug "$chain" "$work/.debug/library.so.debug"
	stacks_of "$chain 300 $work/library.so"
	unlike "$out" 'hidden_loop|library.so`(inner|outer|main)' \
		'a debug file of another build is not used'
	rm -f "$work/.debug/library.so.debug"

	# a debug file that is a pipe without a writer, or too large to be compared, does not block dtr
	mkfifo "$work/.debug/library.so.debug"
	stacks_of "$chain 300 $work/library.so"
	like "$out" 'library.so`library_spin\+0x' 'a debug file that is a pipe does not block'
	rm -f "$work/.debug/library.so.debug"
	"$objcopy" --only-keep-debug "$chain" "$work/.debug/library.so.debug"
	"$objcopy" --remove-section .note.gnu.build-id "$work/.debug/library.so.debug"
	truncate -s 4T "$work/.debug/library.so.debug"
	stacks_of "$chain 300 $work/library.so"
	like "$out" 'library.so`library_spin\+0x' 'a debug file of 4 TB is not read'
	rm -f "$work/.debug/library.so.debug"

	if command -v xz >/dev/null; then
		"$objcopy" --only-keep-debug "$library" "$work/mini"
		xz -9 "$work/mini"
		"$strip" -o "$work/library.so" "$library"
		"$objcopy" --add-section .gnu_debugdata="$work/mini.xz" "$work/library.so"
		stacks_of "$chain 300 $work/library.so"
		frames 'a stripped shared object with .gnu_debugdata' "library.so\`hidden_loop$off" \
			"library.so\`library_spin$off"
	else
		skip 'a stripped shared object with .gnu_debugdata' 'no xz'
	fi

	# the printed address is the symbol's address according to nm plus the offset
	run "$DTR" -x ledger=off -c "$fixed 300" -qn 'profile-997 /pid == $target && arg1/ {
		printf("%A 0x%x\n", uaddr(arg1), arg1); }'
	"$nm" "$fixed" >"$work/nm"
	bad=$(grep '^chain-fixed`inner' "$work/out" | while read -r name at; do
		start=$(awk '$3 == "inner" { print $1 }' "$work/nm")
		behind=${name#*+}
		[ "$name" = "${name%+*}" ] && behind=0
		[ $((0x$start + behind)) = $((at)) ] || echo "$name $at"
	done)
	is "$bad" '' 'symbols and offsets agree with nm'
	between "$(grep -c '^chain-fixed`inner' "$work/out")" "$(($(wc -l <"$work/out") / 2))" "$(wc -l <"$work/out")" \
		'most samples are in the loop'
else
	skip 'stripped files' 'no binutils'
fi

# ---- symbols as keys: one row per function ----
run "$DTR" -x ledger=off -c "$fixed 300" -qn 'profile-997 /pid == $target && arg1/ { @s[usym(arg1)] = count();
	@m[umod(arg1)] = count(); @f[ufunc(arg1)] = count(); }
	END { printa(@s); printa(@m); printa(@f); }'
is "$(grep -c 'chain-fixed`inner  ' "$work/out")" 2 'usym() and ufunc() have one row per function'
is "$(grep -c '^  chain-fixed  ' "$work/out")" 1 'umod() has one row per object'

# ---- processes that have ended ----
cp "$chain" "$work/gone"
# The file is removed after the program has ended and dtr has opened it, that is, has processed its mappings.
printf '#!/bin/sh\n%s 200\ni=0\nuntil ls -l /proc/$PPID/fd | grep -q %s || [ $((i += 1)) = 1000 ]; do sleep 0.05; '\
'done\nrm %s\n' "$work/gone" "$work/gone" "$work/gone" >"$work/once"
chmod +x "$work/once"
run "$DTR" -x ledger=off -x switchrate=2s -c "$work/once" -qn 'profile-997 /execname == "gone"/ {
	@[ustack()] = count(); }'
frames 'a program that has ended and was removed' "gone\`inner$off" "gone\`$shape$off" "gone\`middle$off"

cat >"$work/many" <<EOF
#!/bin/sh
i=0
while [ \$i -lt 20 ]; do
	cp "$chain" "$work/short"; "$work/short" 20; rm "$work/short"
	i=\$((i + 1))
done
EOF
chmod +x "$work/many"
run "$DTR" -x ledger=off -c "$work/many" -qn 'profile-997 /execname == "short" && arg1/ { @[umod(arg1)] = count();
	@n[pid] = count(); } END { printa("%@d of %A\n", @); printa("process %d %@d\n", @n); }'
between "$(grep -c '^process' "$work/out")" 15 20 'short processes are sampled'
all=$(awk '/ of / { n += $1 } END { print n + 0 }' "$work/out")
if notes_lost; then
	skip 'short processes have symbols' 'process events were lost, as reported'
else
	is "$(awk '/ of (short|\[vdso\]|libc.so.6|ld-linux.*)$/ { n += $1 } END { print n + 0 }' "$work/out")" "$all" \
		'short processes have symbols'
	is "$err" '' 'short processes cause no messages'
fi

# ---- the kernel ----
run "$DTR" -x ledger=off -c "dd if=/dev/zero of=/dev/null bs=64k" -qn 'profile-997 /arg0/ { printf("%a 0x%x\n", arg0,
	arg0); }
	profile-997 /arg0 && pid == $target && ++n == 200/ { exit(0); }'
awk '{ print $1, $3 }' /proc/kallsyms >"$work/kallsyms"
# BPF programs of others, which the kernel compiles and frees at any time, are ignored.
awk 'NR == FNR { name[$2] = name[$2] " " $1; next }
	/^bpf`/ { next }
	{ n++; found = 0; split($1, part, /[`+]/); split(name[part[2]], at, " "); off = part[3] == "" ? "0x0" : part[3]
	  for (i in at) found = found || hex(at[i]) + hex(substr(off, 3)) == hex(substr($2, 3))
	  if (!index($1, "`") || !found) print "# not in /proc/kallsyms: " $0; else good++ }
	function hex(s, i, v) { v = 0; s = substr(s, length(s) > 12 ? length(s) - 11 : 1)
		for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
		return v }
	END { print n + 0, good + 0 }' "$work/kallsyms" "$work/out" >"$work/good"
grep '^#' "$work/good" | head -n 5
all=$(tail -n 1 "$work/good")
between "${all% *}" 100 1000000 'the kernel is sampled'
same "${all#* }" "${all% *}" 'kernel symbols and offsets agree with /proc/kallsyms'

run "$DTR" -x ledger=off -qn 'BEGIN { stack(); exit(0); }'
like "$out" '^ {14}vmlinux`[a-z_0-9.]*sys_bpf' 'stack() in BEGIN contains sys_bpf'
like "$out" '^ {14}vmlinux`(do_syscall_64|el0_svc|invoke_syscall)' 'stack() in BEGIN contains the system call entry'

run "$DTR" -x ledger=off -x stackframes=2 -x stackindent=3 -qn 'BEGIN { stack(); exit(0); }'
is "$(grep -c '^   [^ ]' "$work/out")" 2 'stackframes and stackindent'

# ---- no sample is lost, and equal stacks are one row ----
spin_on 0
"$fixed" 100000 &
fixed_pid=$!
children="$children $fixed_pid"
run "$DTR" -x ledger=off -x aggsize=16m -p $fixed_pid -qn 'profile-997 { @k[stack()] = count();
	@u[ustack()] = count(); @b[stack(), ustack(), execname] = count(); @n = count(); }
	profile-997 /pid == $target && arg1/ { n++; } tick-100ms /n >= 300 && ++t >= 10/ { exit(0); }
	END { printa("all %@d\n", @n); printa("%kk %@d\n", @k); printa("%ku %@d\n", @u);
	printa("%k%k%s b %@d\n", @b); }'
stop $fixed_pid
all=$(sed -n 's/^all //p' "$work/out")
between "$all" 300 1000000 'all CPUs are sampled'
for table in k u b; do
	is "$(awk -v t=$table 'NF > 1 && $(NF - 1) == t { n += $NF } END { print n + 0 }' "$work/out")" "$all" \
		"aggregation @$table has all samples"
done
stacks=$(awk '/^ /{ s = s $0 "|"; next } /^u [0-9]+$/ { print s } { s = "" }' "$work/out" | grep 'chain-fixed`inner')
rows=$(printf '%s\n' "$stacks" | wc -l)
distinct=$(printf '%s\n' "$stacks" | sort -u | wc -l)
is "$rows" "$distinct" 'identical stacks are one row'
is "$(messages)" '' 'no drops'
stop "$spin"

# ---- stacks that are all different: each is a row or a reported drop ----
# The session ends after enough samples of the program, however much CPU time it gets.
"$here/tests/symbols/paths" 20 &
paths=$!
children="$children $paths"
for size in 4m 16k; do
	run "$DTR" -x ledger=off -x aggsize=$size -p $paths -qn '
		profile-997 /pid == $target/ { @u[ustack()] = count(); @n = count(); n++; }
		tick-100ms /n >= 1000/ { exit(0); }
		END { printa("all %@d\n", @n); printa("%k u %@d\n", @u); }'
	all=$(sed -n 's/^all //p' "$work/out")
	rows=$(awk 'NF > 1 && $(NF - 1) == "u"' "$work/out" | wc -l)
	printed=$(awk 'NF > 1 && $(NF - 1) == "u" { n += $NF } END { print n + 0 }' "$work/out")
	drops=$(awk '/aggregation drop/ { n += $2 } END { print n + 0 }' "$work/err")
	is $((printed + drops)) "$all" "aggsize $size: every sample is in a row or a drop"
	[ $size = 16k ] || is "$drops" 0 "aggsize $size: no drops"
	[ $size = 4m ] || between "$drops" 1 "$all" "aggsize $size: there are drops"
	[ $size = 16k ] || between "$rows" $((all / 4)) "$all" \
		"aggsize $size: at least a quarter of the samples have different stacks"
done
stop "$paths"
done_testing
