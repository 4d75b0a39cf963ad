#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr gmon, -O gmon: GNU gprof reads profiles of a program (tests/programs/shares.c) that knows the shares of its
# functions and the number of its calls. They are those of the same program compiled with -pg.
# silent: 600 s: gprof takes long to read all functions of a kernel
# long: that, too
. "$SRC/tests/lib/tap.sh"
. "$SRC/tests/lib/shares.sh"
need_kernel
with_bpf 'dtr gmon' || { echo '1..0 # SKIP needs BPF'; exit 0; }
for program in gcc gprof; do
	any_of $program || { echo "1..0 # SKIP no $program"; exit 0; }
done
cd "$work" || exit 1
cp "$SRC/tests/programs/shares.c" .
compile() { gcc -O1 -w "$@" 2>"$work/gcc.err"; }
compile -o pie -pie -fPIE shares.c || { echo '1..0 # SKIP gcc fails'; exit 0; }
own='f|g|h|spin|deep|make_calls|main'

# PROGRAM PROFILE: "NAME SAMPLES" of each function, for a rate of RATE. gprof prints hundredths of a second.
samples() { gprof -bp "$1" "$2" | awk -v rate="$3" '$1 ~ /^[0-9.]+$/ && $3 ~ /^[0-9.]+$/ && $3 > 0 {
	printf "%s %d\n", $NF, $3 * rate + 0.5 }' | sort; }
# PROGRAM PROFILE: "CALLER CALLEE CALLS" of each arc between functions of the program. -z: also of functions that only
# other objects call, such as main.
arcs() { gprof -zbq "$1" "$2" | awk '{ sub(/ <cycle.*>/, "") }
	/^-----/ { primary = "" }
	$1 ~ /^\[[0-9]+\]$/ && NF > 4 {
		primary = $(NF - 1)
		if (split($5, n, "+") == 2) print primary, primary, n[2]
		next
	}
	primary != "" && $3 ~ /^[0-9]+\/[0-9]+$/ { split($3, n, "/"); print primary, $(NF - 1), n[1] }' |
	grep -E "^($own) ($own) " | sort; }
# RATE: compares the samples of f, g and h in the file `got` with the times that the program has measured. A sample is
# an independent draw (shares.c); the bound is 6 standard deviations and the rounding of gprof.
fits() {
	awk -v rate="$1" 'NR == FNR { ns[$1] = $2; all += $2; next } $1 in ns { n[$1] = $2; sum += $2 }
		END { if (sum < 50) print "samples:", sum
			for (x in ns) {
				p = ns[x] / all
				d = n[x] / sum - p
				if (d < 0) d = -d
				if (d > 6 * sqrt(p * (1 - p) / sum) + 0.01 * rate / sum) print x, n[x], sum, p
			} }' truth got
}

# ---- shares ----
if compile -pg -no-pie -o pg shares.c && run_shares ./pg 3000 && [ -s gmon.out ]; then
	shares_times >truth
	samples pg gmon.out 100 >got
	is "$(fits 100)" '' '-pg: the shares are those of the program'
	./pg 0 && arcs pg gmon.out >arcs.pg
	rm gmon.out
else
	skip 'programs compiled with -pg' 'not here'
fi
compile -fPIC -shared -DLIBRARY -o libshares.so shares.c
compile -o library -DPROGRAM shares.c -L. -lshares -Wl,-rpath,"$work"
compile -no-pie -o fixed shares.c
compile -static -o static shares.c
compile -static-pie -o static-pie shares.c
for kind in pie fixed static static-pie library; do
	[ -x $kind ] || { skip "$kind" "gcc: $(head -n 1 gcc.err)"; continue; }
	object=a.out image=$kind
	[ $kind != library ] || { object=libshares.so image=libshares.so; }
	for mode in '' --arcs=sampled; do
		# shellcheck disable=SC2086 # an option or nothing
		run_shares "$DTR" gmon -F 1999 -O $object $mode -c "./$kind 1500"
		shares_times >truth
		samples $image gmon.out 1999 >got
		is "$status:$(fits 1999)" 0: "$kind $mode: the shares are those of the program"
	done
	run "$DTR" gmon --arcs -O $object -c "./$kind 0"
	arcs $image gmon.out >arcs.dtr
	if [ ! -s arcs.pg ]; then
		skip "$kind: arcs" 'no program with -pg'
	elif [ $kind = library ]; then
		is "$(cat arcs.dtr)" "$(grep -Ev '^(main|make_calls) ' arcs.pg)" "$kind: the arcs are those of -pg"
	else
		is "$(cat arcs.dtr)" "$(cat arcs.pg)" "$kind: the arcs are those of -pg"
	fi
done
is "$(grep '^deep deep ' arcs.pg)" 'deep deep 290' 'calls are those of the source'

# ---- stripped objects ----
# A library has the symbols that other objects need; a program has none.
cp libshares.so keep.so
strip libshares.so
run_shares "$DTR" gmon -F 1999 -O libshares.so -c './library 1500'
shares_times >truth
like "$status:$err" '^0:dtr: gmon.out: libshares.so: .*: gprof gmon.out.elf gmon.out' 'a stripped library: the summary'
samples gmon.out.elf gmon.out 1999 >got
is "$(fits 1999)" '' 'a stripped library: the shares are those of the program'
mv keep.so libshares.so
strip -o stripped pie
rm -f gmon.out.elf
run "$DTR" gmon -F 1999 -c './stripped 1500'
like "$status:$err" "^0:dtr: warning: gprof will find no functions in $work/stripped: it has no symbols" \
	'a stripped program: a warning'
is "$(ls gmon.out.elf 2>/dev/null)" '' 'and no file of symbols'
cp pie removed
# shellcheck disable=SC2016 # $ of the shell that removes its program
run_shares "$DTR" gmon -F 1999 -c "sh -c 'exec 3<removed; rm removed; exec /proc/self/fd/3 1500'"
shares_times >truth
like "$status:$err" "^0:dtr: gmon.out: .*: gprof gmon.out.elf gmon.out" 'a program that was removed: the summary'
samples gmon.out.elf gmon.out 1999 >got
is "$(fits 1999)" '' 'a program that was removed: the shares are those of the program'
mkdir tiny
if unshare -m sh -c 'mount -t tmpfs -o size=64k none tiny && "$DTR" gmon -k -x ledger=off -o tiny/k \
	-c "dd if=/dev/zero of=/dev/null bs=1M count=5000 status=none" 2>messages; echo $? >status
	ls tiny >files'; then
	is "$(cat status):$(cat messages):$(cat files)" '1:dtr: failed to write tiny/k: No space left on device:k' \
		'a full disk: one message, and no file of symbols'
fi

# ---- every sample counts once, for its function ----
# 100 a second: gprof's hundredths of a second are samples.
"$DTR" gmon --script -F 100 -p 1 >user.d
"$DTR" gmon --script -F 100 -k >kernel.d
saved() { "$DTR" merge saved | awk -v object="$1" '$1 == "f" && sub("^ *f +" object "`", "")' | xargs -n 2 | sort; }
run "$DTR" -s user.d -o one -x aggsave=saved -c './pie 1000' \
	-n 'profile-$1 /pid == $target/ { @f["f", ufunc(uregs[R_PC])] = count(); }' 100
same "$(samples pie one 100)" "$(saved pie)" 'the samples of each function are those of ufunc()'
run "$DTR" gmon -F 100 -o two -c './pie 1000'
cat one two >/dev/null && gprof -s pie one two
samples pie gmon.sum 100 >sum
{ samples pie one 100; samples pie two 100; } | awk '{ n[$1] += $2 } END { for (f in n) print f, n[f] }' | sort >want
same "$(cat sum)" "$(cat want)" 'gprof -s adds up runs'
run "$DTR" gmon --arcs -o one -c './pie 0'
gprof -s pie one one one
arcs pie gmon.sum >got
arcs pie one | awk '{ print $1, $2, 3 * $3 }' >want
same "$(cat got)" "$(cat want)" 'gprof -s adds up arcs'

# ---- the kernel ----
run "$DTR" gmon -k -F 100 -o k -c 'dd if=/dev/zero of=/dev/null bs=1M count=20000'
like "$status:$err" '^0:' 'the kernel: status 0'
like "$err" '^dtr: k: vmlinux: [0-9]+ samples, 100 a second, 0 arcs: gprof k.elf k$' 'the kernel: the summary'
n=$(printf '%s\n' "$err" | sed -n 's/^dtr: k: vmlinux: \([0-9]*\) .*/\1/p')
is "$(samples k.elf k 100 | awk '{ n += $2 } END { print n }')" "$n" 'gprof has all samples of the kernel'
rm -f saved
run "$DTR" -s kernel.d -o k -x gmonfile=k -x gmonobjects=kernel -x aggsave=saved \
	-c 'dd if=/dev/zero of=/dev/null bs=1M count=20000' \
	-n 'profile-$1 /arg0 && pid == $target/ { @f["f", func(arg0)] = count(); }' 100
same "$(samples k.elf k 100)" "$(saved vmlinux)" 'the samples of each function are those of func()'
run "$DTR" gmon -k --arcs -F 1000 -o k -c 'dd if=/dev/zero of=/dev/null bs=1M count=20000'
like "$(gprof -bq k.elf k | awk '$1 ~ /^\[[0-9]+\]$/ { print $(NF - 1), $2 }')" '^(ksys_read|vfs_read) (9[0-9]|100)' \
	'the kernel: most of the time is in read()'

# ---- scripts of the user ----
run "$DTR" -q -O gmon -x gmonobjects=pie -o one -c './pie 0' \
	-n 'pid$target:a.out:spin:entry { @calls[ustack(2)] = count(); }'
is "$status:$err" 0: '-O gmon of a script: no message'
arcs pie one >got
is "$(cat got)" "$(grep ' spin ' arcs.pg)" '@calls: the first two frames of a stack'

# ---- recordings ----
run_shares "$DTR" record -g -F 1999 -o recording -c './pie 1500'
shares_times >truth
run "$DTR" gmon --from recording -F 1999
samples pie gmon.out 1999 >got
is "$status:$(fits 1999)" 0: 'a recording: the shares are those of the program'
run "$DTR" gmon --from recording -F 1999 --arcs
samples pie gmon.out 1999 >got
is "$status:$(fits 1999)" 0: 'a recording with stacks: the shares are those of the program'
like "$(gprof -bq pie gmon.out | awk '/^-----/ { p = "" } $1 ~ /^\[/ { p = $(NF - 1); next }
	p && NF > 1 { print p, $(NF - 1) }')" \
	'^main f$' 'a recording with stacks: main calls f'
"$DTR" record -F 100 -o recording -c 'dd if=/dev/zero of=/dev/null bs=1M count=20000' 2>messages
run "$DTR" gmon -k --from recording -F 100 -o k
n=$(printf '%s\n' "$err" | sed -n 's/^dtr: k: vmlinux: \([0-9]*\) .*/\1/p')
same "$(samples k.elf k 100 | awk '{ n += $2 } END { print n }')" "$n" 'a recording: the samples of the kernel'

# ---- 100,000 arcs ----
awk 'BEGIN {
	for (i = 0; i < 1000; i++) printf "__attribute__((noinline)) void leaf%d(void) { __asm__ volatile(\"\"); }\n", i
	for (k = 0; k < 100; k++) {
		printf "__attribute__((noinline)) void caller%d(void) {\n", k
		for (i = 0; i < 1000; i++) printf "leaf%d();\n", i
		print "}"
	}
	print "int main(void) {"
	for (k = 0; k < 100; k++) printf "caller%d();\n", k
	print "return 0; }" }' >many.c
gcc -O0 -w -o many many.c
run "$DTR" gmon --arcs -c ./many
like "$status:$err" '0:dtr: gmon.out: many: [0-9]+ samples, [0-9]+ a second, 1001[0-9][0-9] arcs ' '100,000 arcs'
is "$(gprof -zbq many gmon.out | awk '{ sub(/ <cycle.*>/, "") }
	/^-----/ { p = "" }
	$1 ~ /^\[/ { p = $(NF - 1); next }
	p ~ /^caller/ && $(NF - 1) ~ /^leaf/ { split($(NF - 2), n, "/"); if (n[1] == 1 && n[2] == 100) calls++ }
	END { print calls }')" 100000 'each of 100,000 arcs has one call of 100'

# ---- ends and errors ----
"$DTR" gmon -o ended -c './pie 100000000' >messages 2>&1 &
dtr=$!
children="$children $dtr"
target() { pid=$(cat "/proc/$dtr/task/$dtr/children") && [ -n "$pid" ]; }
wait_until target
# shellcheck disable=SC2086 # the pids
children="$children $pid"
wait_until has_run "${pid%% *}" 50
kill -INT $dtr
wait $dtr
like "$?:$(cat messages)" '^0:dtr: ended: pie: [0-9]+ samples' 'Ctrl-C: the profile is written'
like "$(gprof -bp pie ended)" ' f$' 'Ctrl-C: gprof reads it'
none() { run "$DTR" gmon -c 'sleep 0.01' -o none; case $err in *'no samples'*) ;; *) return 1 ;; esac; }
wait_until none # a sample may hit the program
like "$status:$err" '^0:dtr: no samples in the program$' 'a program without samples'
is "$(head -c 4 none):$(wc -c <none)" gmon:20 'a program without samples: a file without records'
run "$DTR" gmon -O libnosuch -c './pie 50'
like "$status:$err" '^0:dtr: no samples in libnosuch$' 'an object that is not mapped'
mkdir full.elf
run "$DTR" gmon -k -o full -c 'dd if=/dev/zero of=/dev/null bs=1M count=20000'
like "$err" '^dtr: failed to write full.elf: Is a directory$' 'an image that cannot be written'
is "$status" 1 'an image that cannot be written: status 1'
run "$DTR" gmon -o /dev/full -c './pie 50'
like "$status:$(printf '%s\n' "$err" | tail -n 1)" '^1:dtr: failed to write /dev/full: No space left on device$' \
	'a full disk'
while read -r args; do
	eval "run \"\$DTR\" gmon $args"
	like "$status:$err" '^2:dtr gmon: .*\(see dtr gmon -h\)$' "refused: gmon $args"
done <<-'END'

	-F 0 -c true
	-F 5001 -c true
	-F 1x -c true
	--arcs=some -c true
	-O '' -c true
	-O 'a,b' -c true
	-c true more
	--from recording -c true
	--from recording --arcs=exact
	-O
	-y
END
done_testing
