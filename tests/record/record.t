# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr record and dtr -r: known loads are recorded, queried with several scripts, damaged, truncated, and compared with a
# live session.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
load=$here/tests/record/load

# Under emulation, timers expire late or not at all.
rate() { # VALUE LOW HIGH NAME
	if [ -n "${DTR_VM-}" ]; then skip "$4" 'rates are not reliable under emulation'; else between "$@"; fi
}

ask() { # RECORDING SCRIPT [OPTION...]
	ask_r=$1 ask_n=$2
	shift 2
	run "$DTR" -q -r "$ask_r" "$@" -n "$ask_n"
}

# number WORD: the last field of the line of $out that begins with WORD.
number() { printf '%s\n' "$out" | awk -v w="$1" '$1 == w { print $NF }'; }

# ---- usage errors
run "$DTR" record --duration
is "$status" 2 '--duration without a time is a usage error'
run "$DTR" record --duration 0 -o "$work/x"
is "$status:$(ls "$work/x" 2>/dev/null)" 2: 'a duration of 0, too'
run "$DTR" record -o "$work/x" -p 1 -c true
like "$err" '-p cannot be combined with -c' '-p and -c are refused'
run "$DTR" record -a -p 1 -o "$work/x"
like "$err" '-a cannot be combined' '-a and -p are refused'
run "$DTR" record -o "$work/x" -F 9999999 -c true
is "$status" 2 'a rate that is too high is a usage error'
like "$err" '^dtr record: invalid rate 9999999: interval .* is below the 200 us floor' \
	'a rate that is too high: the error gives the limit'
run "$DTR" record -o "$work/x" -F 0 -c true
is "$status:$(ls "$work/x" 2>/dev/null)" 2: 'a rate of 0 is a usage error, and no file is created'
run "$DTR" record -o /nowhere/x -c true
like "$err" 'failed to open /nowhere/x: No such file' 'a file that cannot be created is an error'
run "$DTR" -r /nowhere/x -n 'BEGIN { exit(0); }'
is "$status" 1 'a missing recording is an error'
like "$err" '^dtr: /nowhere/x: No such file or directory$' 'a missing recording: the error names it'
run "$DTR" -r /nowhere/x -c true -n 'BEGIN { exit(0); }'
is "$status" 2 '-r and -c are a usage error'
run "$DTR" -r "$work/x" -r "$work/y" -n 'BEGIN { exit(0); }'
is "$status $err" "2 dtr: only one recording can be queried at a time (-r $work/x, -r $work/y)" \
	'two -r are a usage error'
run "$DTR" -r "$SRC/README.md" -n 'BEGIN { exit(0); }'
like "$err" 'README.md: offset 0: not a recording of dtr or perf$' 'another file is refused'
run sh -c 'while echo not one; do sleep 0.1; done 2>/dev/null | timeout 5 "$0" -q -r - -n "profile-997 { }"' "$DTR"
is "$status" 1 'an endless pipe without a recording is an error'
like "$err" 'offset 0: not a recording' 'an endless pipe without a recording is refused at its first bytes'

# ---- a known load, recorded with stacks, and sampled live at the same time
"$DTR" -x ledger=off -qn 'int told; profile-997 /!told/ { told = 1; printf("sampling\n"); }
	profile-997 /(execname == "load" || execname == "load-child") && progenyof($1)/ {
	@f[execname, ufunc(arg1)] = count(); @n[execname] = count(); }
	tick-1000s { exit(0); } END { printa("%s %A %@d\n", @f); printa("%s %@d\n", @n); }' $$ >"$work/live" \
		2>"$work/live.err" &
live=$!
children="$children $live"
wait_for sampling "$work/live"
nice=
command -v nice >/dev/null && nice='nice -n 5' pri=$((14 - $(nice))) || pri=19
run $nice "$DTR" record -x ledger=off -F 997 -g -c "$load 800" -o "$work/g.rec"
is "$status" 0 'a command is recorded'
like "$err" '^dtr: [0-9]+ samples, 0 lost, [0-9]+ bytes$' 'dtr record prints the number of samples and bytes'
samples=$(printf '%s\n' "$err" | awk '/ samples,/ { print $2 }')
used=$(number load) child=$(number load-child)
cp "$work/out" "$work/g.out"
kill -INT "$live"
wait "$live"

ask "$work/g.rec" 'profile-997 { @ = count(); }'
same "$(echo $out)" "$samples" 'the recording contains each sample once'
is "$err" '' 'a query prints no messages'
# While the machine has no processor, neither session samples, so they agree anyway. Per time slice of a process they
# may differ by one sample: with some hundred slices by a few percent, so a difference of 20 % is not chance.
ask "$work/g.rec" 'profile-997 { @[execname] = count(); }'
n=$(number load)
for name in load load-child; do
	rate "$(awk -v w=$name -v n="$(number $name)" '$1 == w && NF == 2 { print n / $2 }' "$work/live")" 0.8 1.25 \
		"as many samples of $name as in the live session"
done
between "$n" 50 "$(awk "BEGIN { print $used * 1.25 + 6 }")" 'no more samples of load than its CPU time allows'
# Compares each loop's share of the samples with its share of the CPU time that load reports. Samples are independent
# draws (work.h): by Chernoff's bound, a share exceeds the limit of 17 with a probability of at most 2 e^-17, any of the
# six shares with 3 in ten million.
awk '/^load[.]/ { sub(/load[.]/, ""); print }' "$work/g.out" >"$work/loops"
fair() { # FILE: contains rows that end in "`FUNCTION COUNT"
	awk 'NR == FNR { ms[$1] = $2; all += $2; next }
		NF >= 2 { f = $(NF - 1); sub(/.*`/, "", f); if (f in ms) { n[f] += $NF; sum += $NF } }
		END { for (f in ms) { loops++; p = ms[f] / all; q = sum ? n[f] / sum : 0;
		x = sum * (q * ln(q, p) + (1 - q) * ln(1 - q, 1 - p))
				bad += x >= 17; print f, "share", p, "sampled", q, "of", sum, "surprise", x }
			exit !(loops == 3 && sum >= 40 && !bad) }
		function ln(a, b) { return a > 0 ? log(a / b) : 0 }' "$work/loops" "$1" >"$work/fair"
}
ask "$work/g.rec" 'profile-997 /execname == "load"/ { @[ufunc(arg1)] = count(); }'
fair "$work/out"
ok $? 'shares of samples agree with the CPU time of the functions' "$(cat "$work/fair")" "$out"
grep '^load .*`' "$work/live" >"$work/live.load"
fair "$work/live.load"
ok $? 'shares of samples agree in the live session' "$(cat "$work/fair" "$work/live")"
ask "$work/g.rec" 'profile-997 /execname == "load" && arg1/ { @[ustack(1)] = count(); }'
like "$out" 'load`work_[fgh]\+0x' 'stacks have symbols'
ask "$work/g.rec" 'profile-997 { @[arg0 != 0 ? "kernel" : "user"] = count(); @all["all"] = count(); }'
is "$(printf '%s\n' "$out" | awk '{ n += $1 == "all" ? -$2 : $2 } END { print n }')" 0 \
	'kernel and user samples add up to all'
ask "$work/g.rec" 'profile-997 /execname == "load"/ { @[uid, curlwpsinfo->pr_pri, curpsinfo->pr_fname] = count(); }'
is "$(printf '%s\n' "$out" | awk 'NF { print $1, $2, $3 }')" "$(id -u) $pri load" \
	'user, priority and name of the process'
ask "$work/g.rec" 'profile-997 /execname == "load-child"/ { @[curpsinfo->pr_ppid == pid ? "?" : "child"] = count(); }'
same "$(number child)" "$(ask "$work/g.rec" 'profile-997 /execname == "load-child"/ { @["n"] = count(); }'; number n)" \
	'the parent of the process'

# ---- in a PID name space: IDs are those that dtr sees
if unshare -p -f --mount-proc true 2>/dev/null; then
	for engine in bpf user; do
		[ $engine = user ] || if_can "a PID name space, $engine" types || continue	# for ppid
		run unshare -p -f --mount-proc "$DTR" record -x ledger=off -x engine=$engine -q -c "$load 60" -o \
			"$work/ns.rec"
		ask "$work/ns.rec" 'profile-997 /execname == "load"/ { @[pid, tid, ppid, curpsinfo->pr_ppid,
			curpsinfo->pr_pgid, curpsinfo->pr_sid] = count(); }'
		is "$(printf '%s\n' "$out" | awk 'NF { row = ($1 < 9) " " ($1 == $2) " " $3 " " $4 " " $5 " " $6 }
			END { print row }')" '1 1 1 1 0 0' "a PID name space, $engine"
	done
else
	skip 'a PID name space' 'cannot create one'
fi

# ---- deterministic to the byte
for script in 'profile-997 { @[ustack(), stack(), execname, cpu, pid] = count(); }' \
	'profile-997 { printf("%d %d %d %d %s %x %x %d\n", timestamp, walltimestamp, pid, tid, execname, arg0, arg1,
	arg2); }' \
	'BEGIN { trace(timestamp); trace(pid); } profile-997 { @[probefunc, rand() % 10] = quantize(arg2); }
	tick-100ms { trace(cpu); printa(@); clear(@); } END { trace(timestamp); }'; do
	# emulation is slow, and this does not depend on the kernel
	[ -z "${DTR_VM-}" ] || case $script in BEGIN*) ;; *) continue ;; esac
	ask "$work/g.rec" "$script"
	is "$status" 0 'a query succeeds'
	cp "$work/out" "$work/first"
	ask "$work/g.rec" "$script"
	cmp -s "$work/out" "$work/first"
	ok $? 'the same query again prints the same bytes'
	like "$(wc -c <"$work/first")" '^[0-9]{3,}$' 'the query prints a result'
done

# ---- BEGIN, END and tick use the recorded time
ask "$work/g.rec" 'uint64_t first; BEGIN { @t["begin"] = max(timestamp); } profile-997 /!first/ { first = timestamp;
	@t["first"] = max(timestamp); }
	profile-997 { @t["last"] = max(timestamp); } END { @t["end"] = max(timestamp); }'
ok "$([ "$(number begin)" -lt "$(number first)" ] && [ "$(number last)" -le "$(number end)" ]; echo $?)" \
	'BEGIN is before the samples, END after them' "$out"
tenths=$((($(number end) - $(number begin)) / 100000000))
ask "$work/g.rec" 'profile-997 { n++; } tick-100ms { @["sum"] = sum(n); n = 0; t++; } END {
	printf("ticks %d\nrest %d\n", t, n); }'
same "$(($(number sum) + $(number rest)))" "$samples" 'the counts between ticks add up to the samples'
between "$(number ticks)" $((tenths - 2)) $((tenths + 2)) 'one tick per tenth of a recorded second'
ask "$work/g.rec" 'profile-997 { @ = count(); } tick-200ms { printa("row %@d\n", @); clear(@); } END {
	printa("row %@d\n", @); }'
is "$(printf '%s\n' "$out" | awk '/^row/ { n += $2 } END { print n }')" "$samples" \
	'printing and clearing an aggregation loses nothing'
between "$(printf '%s\n' "$out" | awk '/^row/ && $2 > m { m = $2 } END { print m }')" 1 $((200 * 2 + 20)) \
	'each printed row covers only its own interval'
ask "$work/g.rec" 'profile-997 { n++; } profile-997 /n == 10/ { printf("%d\n", n); exit(3); }'
is "$status $out" '3 10' 'exit() ends the query'

# ---- what a recording does not contain
ask "$work/g.rec" 'profile-97 { @ = count(); }'
is "$status" 1 'another rate is refused'
like "$err" 'the recording has samples of profile-997, not of profile-97$' 'another rate: the error has both rates'
ask "$work/g.rec" 'syscall::read:entry { @ = count(); }'
like "$err" 'failed to enable probe syscall:[a-z]*:read:entry: a recording has only timed samples, no other events' \
	'another probe is refused'
ask "$work/g.rec" 'profile-997 { @[vtimestamp] = count(); }'
like "$err" 'vtimestamp was not recorded' 'vtimestamp is refused'
ask "$work/g.rec" 'profile-997 /progenyof(1)/ { @ = count(); }'
is "$status $err" '1 dtr: progenyof() (curthread->real_parent->real_parent) was not recorded' 'progenyof() is refused'
ask "$work/g.rec" 'profile-997 { @[curpsinfo->pr_ttydev] = count(); }'
is "$status $err" '1 dtr: pr_ttydev (curthread->signal->tty) was not recorded' 'pr_ttydev is refused'
ask "$work/g.rec" 'profile-997 { @[stringof(curthread->real_parent->comm)] = count(); }'
like "$err" ': line 1: curthread->real_parent->comm was not recorded$' "the parent's name is refused"
ask "$work/g.rec" 'profile-997 /arg1/ { @[copyinstr(arg1)] = count(); }'
like "$err" 'warning: the memory of processes was not recorded: reading it faults' 'reading memory: a warning'
like "$err" 'error on enabled probe .*: invalid (user )?(address|access)' 'reading memory: a fault'
is "$out" '' 'reading memory: no output'

# ---- without -o; for a time; the machine while a command runs
cd "$work" || exit 1
run "$DTR" record -x ledger=off -F 97 --duration 300ms -c "$load 1000000"
like "$status:$(printf "%s\n" "$err" | grep "samples,")" "^0:dtr: [0-9]+ samples, 0 lost" \
	"--duration ends the recording before the command"
is "$(ls dtr.rec)" dtr.rec 'without -o: dtr.rec'
if with_bpf 'record -a -c'; then
	run "$DTR" record -x ledger=off -a -F 97 -c "$load 300" -o all.rec
	is "$status" 0 '-a -c' "$err"
	run "$DTR" report all.rec
	like "$(printf '%s\n' "$out" | grep '^Of ')" '^Of +all processes during .*load 300' '-a -c: the summary says so'
	ask all.rec 'profile-97 /execname != "load"/ { @ = count(); }'
	like "$out" '^ +[1-9][0-9]*$' '-a -c: and other processes'
fi

# ---- compressed, and without stacks
run "$DTR" record -x ledger=off -qz -F 997 -c "$load 300" -o "$work/z.rec"
is "$status $err" '0 ' 'a compressed recording is written'
ask "$work/z.rec" 'profile-997 { @ = count(); }'
n=$(echo $out)
rate "$n" 50 3000 'a compressed recording has samples'
between "$(($(wc -c <"$work/z.rec") / n))" 1 39 'a compressed recording has less than 40 bytes per sample'
ask "$work/z.rec" 'profile-997 { @[ustack()] = count(); }'
like "$err" 'z.rec: no stacks were recorded: use dtr record -g$' 'stacks are refused if they were not recorded'

cat "$work/z.rec" "$work/z.rec" >"$work/two.rec"
ask "$work/two.rec" 'profile-997 { @ = count(); }'
same "$(echo $out)" "$n" 'two recordings in a file: the first one is queried'
like "$err" "offset $(wc -c <"$work/z.rec"): the trailing data does not belong" \
	'two recordings in a file: the other one is reported'

# ---- a session that cannot start does not change an existing file; one that can replaces it
cp "$work/z.rec" "$work/old.rec"
run "$DTR" record -q -p 4194304 -o "$work/old.rec"
is "$status" 1 'a missing process is an error'
run "$DTR" record -o "$work/old.rec" -c "$work/nowhere"
is "$status" 1 'a missing command is an error'
like "$err" "failed to execute $work/nowhere: No such file" 'a missing command: the error names it'
printf '#!%s/nowhere\n' "$work" >"$work/lost.sh"
chmod +x "$work/lost.sh"
run "$DTR" record -x ledger=off -o "$work/old.rec" -c "$work/lost.sh"
is "$status" 1 'a command with a missing interpreter is an error'
is "$err" "dtr: failed to execute $work/lost.sh: its interpreter does not exist" \
	'a missing interpreter: the only message'
cmp -s "$work/z.rec" "$work/old.rec"
ok $? 'an existing recording is not changed'
echo old >"$work/old.html"
run "$DTR" -x ledger=off -O html -o "$work/old.html" -c "$work/lost.sh" -n 'profile-997 { @[stack()] = count(); }'
is "$status $(cat "$work/old.html")" '1 old' 'an existing picture is not changed'
run "$DTR" record -x ledger=off -q -c "$load 20" -o "$work/old.rec"
ask "$work/old.rec" 'profile-997 { @ = count(); }'
is "$status $err" '0 ' 'a new recording replaces an existing one'

# ---- pipes
run sh -c \
	'"$1" record -x ledger=off -F 997 -c "$2 100" -o - 2>"$3/pipe.err" | "$1" -q -r - -n "profile-997 { @ = '\
'count(); }"' sh "$DTR" "$load" "$work"
is "$status $err" '0 ' 'a recording on standard output'
same "$(echo $out)" "$(awk '/ samples,/ { print $2 }' "$work/pipe.err")" \
	'a query at the other end of the pipe has all samples'
like "$(cat "$work/pipe.err")" '^load [0-9.]+$' 'the output of the command goes to standard error'
run test -e -
is "$status" 1 '-o - creates no file of that name'
if command -v script >/dev/null; then
	run script -qec "'$DTR' record -c true -o -" /dev/null
	is "$status" 1 'a recording on a terminal is refused'
	like "$out" 'dtr: record: refusing to write a recording to a terminal: use a file or a pipe' \
		'a recording on a terminal: the error says so'
else
	skip 'a recording on a terminal is refused' 'no script(1)'
fi
cp "$work/z.rec" "$work/more.rec"
"$DTR" record -x ledger=off -q -c true -o - >>"$work/more.rec"
ask "$work/more.rec" 'profile-997 { @ = count(); }'
same "$(echo $out)" "$n" '-o - does not truncate the file on standard output'
like "$err" "offset $(wc -c <"$work/z.rec"): the trailing data does not belong" \
	'-o - appends to the file on standard output'

# ---- symbols of a program that was removed
cp "$load" "$work/gone"
run "$DTR" record -x ledger=off -q -g -c "$work/gone 400" -o "$work/gone.rec"
rm "$work/gone"
ask "$work/gone.rec" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
like "$out" 'gone`work_[fgh]' 'a program that was removed after the recording has symbols'

# ---- lost samples are recorded
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; } # PID: its CPU time in ticks
"$load" 1000000 >/dev/null &
long=$!
"$DTR" record -x ledger=off -x bufsize=64k -F 4999 -g -p $long -o "$work/lost.rec" 2>"$work/lost.err" &
recorder=$!
children="$children $long $recorder"
larger() { [ "$(stat -c %s "$1" || echo 0)" -gt "$2" ]; } # FILE BYTES
wait_until larger "$work/lost.rec" 500
kill -STOP $recorder
until=$(($(ticks $long) + $(getconf CLK_TCK)))
worked() { [ "$(ticks $long)" -ge $until ]; }
wait_until worked
kill -CONT $recorder
stop $long
wait $recorder
lost=$(awk '/ samples,/ { print $4 }' "$work/lost.err")
between "$lost" 1 10000000 'a recorder that is stopped loses samples'
ask "$work/lost.rec" 'profile-4999 { @ = count(); }'
same "$(echo $out)" "$(awk '/ samples,/ { print $2 }' "$work/lost.err")" 'the recording contains the other samples'
is "$(printf '%s\n' "$err" | awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }')" "$lost" \
	'a query reports the lost samples'
run "$DTR" -x ledger -r "$work/lost.rec" -qn 'profile-4999 { @ = count(); }'
is "$(printf '%s\n' "$err" | awk '/^  probe/ { full = $5 } $1 == "profile-4999" { print full, $3 - $4, $7 }')" \
	"full $lost $lost" \
	'the ledger of a query has the lost samples'

# ---- damage
size=$(wc -c <"$work/g.rec")
head -c $((size - 1500)) "$work/g.rec" >"$work/cut.rec"
ask "$work/cut.rec" 'profile-997 { @ = count(); }'
is "$status" 1 'a truncated recording is an error'
like "$err" \
	'^dtr: .*cut.rec: offset [0-9]+: the recording is truncated in the middle of a block; the data before it was '\
'used$' 'a truncated recording: the error has the offset'
# In the contents of the second block: after the file header (16 bytes), the first block, the header of the second.
cp "$work/g.rec" "$work/bad.rec"
at=$((16 + 20 + $(od -An -tu4 -j28 -N4 "$work/g.rec") + 20 + 40))
printf "\\$(printf %o $(($(od -An -tu1 -j$at -N1 "$work/g.rec") ^ 1)))" | dd of="$work/bad.rec" bs=1 seek=$at \
	conv=notrunc 2>/dev/null
ask "$work/bad.rec" 'profile-997 { @ = count(); }'
like "$err" "^dtr: .*bad.rec: offset [0-9]+: the block's checksum is wrong; the data before it was used\$" \
	'a changed byte is reported'
is "$(printf '%s\n' "$err" | wc -l)" 1 'a changed byte is reported once'

# ---- killed while recording
"$load" 1000000 >/dev/null &
long=$!
"$DTR" record -F 997 -g -p $long -o "$work/k.rec" >/dev/null 2>&1 &
killed=$!
children="$children $long $killed"
wait_until larger "$work/k.rec" 3000
kill -9 "$killed"
wait "$killed" 2>/dev/null
stop $long
ask "$work/k.rec" 'profile-997 { @[execname] = count(); @f[ufunc(arg1)] = count(); }'
is "$status" 1 'a recording after kill -9 is an error'
like "$err" \
	'k.rec: offset [0-9]+: the recording (was interrupted|is truncated in the middle of a block); '\
'the data before it was used' 'a recording after kill -9: the error says so'
between "$(number load)" 20 1000000 'a recording after kill -9: the data before is used'
like "$out" 'load`work_[fgh]' 'a recording after kill -9 has symbols'

# ---- a kernel without type information: children are recorded by the rootless engine, with names and IDs of threads
nobtf=$work/nobtf
printf '[ ! -d /sys/kernel/btf ] || mount -t tmpfs none /sys/kernel/btf && exec "$@"\n' >"$nobtf"
if unshare -m sh "$nobtf" true 2>/dev/null; then
	run unshare -m sh "$nobtf" "$DTR" record -x ledger -q -g -c "$load 300" -o "$work/b.rec"
	is "$status" 0 'a kernel without type information'
	used=$(number load) child=$(number load-child)
	due=$(printf '%s\n' "$err" | awk '$1 == "profile-997" { print $3, $4 }')
	ask "$work/b.rec" 'profile-997 { @[execname] = count(); @n["all"] = count(); }'
	same "$(number all)" "${due#* }" 'without type information: the recording has every delivered firing'
	rate "${due% *}" "$(awk "BEGIN { print ($used + $child) / 2 }")" \
		"$(awk "BEGIN { print ($used + $child) * 1.3 + 6 }")" \
			'without type information: expected firings agree with the CPU time'
	between "$(number load)" 20 "$(number all)" 'without type information: samples of the process'
	between "$(number load-child)" 10 "$(number all)" 'without type information: samples of its child'
	ask "$work/b.rec" 'profile-997 /execname == "load" && arg1/ { @[ustack()] = count(); }'
	like "$out" 'load`work_[fgh]' 'without type information: stacks'
	ask "$work/b.rec" 'profile-997 { printf("%d %d\n", curpsinfo->pr_pid == pid, curlwpsinfo->pr_pri); exit(0); }'
	is "$out:$(messages)" "1 $((19 - $(nice))):" 'without type information: the rootless engine records priorities'
	run unshare -m sh "$nobtf" "$DTR" record -x ledger=off -x engine=bpf -q -c "$load 100" -o "$work/b.rec"
	like "$err" '^dtr: warning: children of the process are not recorded: this kernel offers no type information' \
		'without type information: the kernel engine warns that it does not record children'
	ask "$work/b.rec" 'profile-997 { @[execname] = count(); }'
	! if_can 'children' initial_pids ||
		unlike "$out" load-child 'without type information: the kernel engine does not record children'
	ask "$work/b.rec" 'profile-997 { printf("%d %d\n", curpsinfo->pr_pid == pid, curlwpsinfo->pr_pri); exit(0); }'
	like "$err" \
		'warning: the recording has only names and IDs of threads: other members of curthread, curpsinfo and '\
'curlwpsinfo' 'without type information: a warning says that priorities are missing'
	like "$err" 'invalid address' 'without type information: reading a priority is a fault'
else
	skip 'a kernel without type information' 'cannot create a mount name space'
fi

# ---- a full disk
if unshare -m true 2>/dev/null; then
	mkdir "$work/small"
	unshare -m sh -c 'mount -t tmpfs -o size=256k none "$1/small" && {
		"$2" record -x ledger=off -F 4999 -g -a -o "$1/small/f" -x switchrate=20ms
		echo "status $?"; cp "$1/small/f" "$1/full.rec"; }' sh "$work" "$DTR" >"$work/full.log" 2>&1 &
	full=$!
	"$load" 1000000 >/dev/null &
	long=$!
	children="$children $long"
	wait $full
	stop $long
	run cat "$work/full.log"
	like "$out" '^status 1$' 'a full disk ends the recording'
	is "$(printf '%s\n' "$out" | grep -c 'No space left on device')" 1 'a full disk is reported once'
	run "$DTR" -q -r "$work/full.rec" -n 'profile-4999 { @ = count(); }'
	like "$err" 'full.rec: offset [0-9]+: the recording was interrupted' 'a full disk: the last block is complete'
	between "$(echo $out)" 10 1000000 'a full disk: the samples before can be queried'
else
	skip 'a full disk' 'cannot create a mount name space'
fi

# ---- perf record
if command -v perf >/dev/null && perf record -q -F 997 -g -o "$work/p.data" -- "$load" 400 >"$work/used" 2>/dev/null
then
	n=$(perf script -i "$work/p.data" -F comm 2>/dev/null | grep -c .)
	ask "$work/p.data" 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$n" 'perf.data: the number of samples'
	for name in load load-child; do
		ask "$work/p.data" 'profile-997 { @[execname] = count(); }'
		same "$(number $name)" "$(perf script -i "$work/p.data" -F comm 2>/dev/null |
			awk -v c=$name '$1 == c { n++ } END { print n }')" "perf.data: the number of samples of $name"
	done
	ask "$work/p.data" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
	like "$out" 'load`work_[fgh]' 'perf.data: symbols'
	ask "$work/p.data" 'profile-997 /execname == "load" && arg1/ { @[ustack()] = count(); }'
	like "$out" 'load`main\+0x' 'perf.data: stacks'
	ask "$work/p.data" 'profile-97 { @ = count(); }'
	like "$err" 'the recording has samples of profile-997, not of profile-97$' 'another rate is refused'
	ask "$work/p.data" 'profile-997 { @[uid] = count(); }'
	like "$err" 'the recording lacks the user' 'perf.data: uid is refused'
	ask "$work/p.data" 'profile-997 { @[walltimestamp] = count(); }'
	like "$err" 'the recording lacks the time of day (.*): use perf record -k mono' \
		'perf.data: walltimestamp is refused without -k mono'
	ask "$work/p.data" 'profile-997 { @[curpsinfo->pr_uid] = count(); }'
	like "$err" 'invalid address' 'perf.data: curpsinfo->pr_uid is a fault'
	is "$out" '' 'perf.data: samples without a user are not counted as root'
	for what in '@[cpu] = count();' '@[curcpu->cpu_chip] = count();'; do
		ask "$work/p.data" "profile-997 { $what }"
		like "$err" 'the recording lacks the CPU .*--sample-cpu' \
			"perf.data: the CPU is refused without --sample-cpu: $what"
	done
	ask "$work/p.data" 'profile-997 { @ = count(); }' -x cpu=0
	like "$err" 'the recording lacks the CPU' 'perf.data: -x cpu is refused without --sample-cpu'
	perf record -q -F 997 --sample-cpu -o "$work/c.data" -- "$load" 100 >/dev/null 2>&1
	ask "$work/c.data" 'profile-997 { @["cpu", cpu] = count(); }'
	is "$(printf '%s\n' "$out" | awk 'NF { print $2, $3 }' | sort)" "$(perf script -i "$work/c.data" -F cpu \
		2>/dev/null |
		awk '{ gsub(/[][]/, ""); n[$1 + 0]++ } END { for (c in n) print c, n[c] }' | sort)" \
			'perf.data: the CPU with --sample-cpu'
	perf record -q -F 997 -o - -- "$load" 100 2>/dev/null >"$work/pipe.data"
	run sh -c 'cat "$1" | "$2" -q -r - -n "$3"' sh "$work/pipe.data" "$DTR" 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$(perf script -i "$work/pipe.data" -F comm 2>/dev/null | grep -c .)" \
		'perf.data: the format that perf writes to a pipe'
	mkfifo "$work/fifo"
	cat "$work/p.data" >"$work/fifo" &
	ask "$work/fifo" 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$n" 'perf.data: a file through a pipe'
	if perf record -q -z -F 997 -o "$work/z.data" -- "$load" 100 >/dev/null 2>&1; then
		ask "$work/z.data" 'profile-997 { @ = count(); }'
		same "$(echo $out)" "$(perf script -i "$work/z.data" -F comm 2>/dev/null | grep -c .)" \
			'perf.data: compressed'
	fi
	cp "$load" "$work/kept"
	HOME=$work perf record -q -F 997 -o "$work/kept.data" -- "$work/kept" 100 >/dev/null 2>&1
	rm "$work/kept"
	HOME=$work ask "$work/kept.data" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
	like "$out" 'kept`work_[fgh]' 'perf.data: symbols of a removed program come from the cache of perf'
	HOME=/nowhere ask "$work/kept.data" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
	like "$out" 'kept`0x' 'perf.data: without that cache they are addresses'
	before=$(date +%s)
	perf record -q -k mono -F 997 -e page-faults -e cpu-clock -e task-clock -o "$work/e.data" -- "$load" 100 \
		>/dev/null 2>&1
	run "$DTR" -r "$work/e.data" -n 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$(perf script -i "$work/e.data" -F event 2>/dev/null | grep -c cpu-clock)" \
		'perf.data: the clock of several events is used'
	like "$err" 'its event 2 .cpu-clock., not the others' 'perf.data: a message names the event that is used'
	ask "$work/e.data" 'profile-997 { @ = max(walltimestamp / 1000000000); }'
	# in a time name space perf writes the offset of its own clock, and samples have the kernel's
	! if_can 'perf.data: walltimestamp' same_time ||
		between "$(echo $out)" "$before" "$(date +%s)" 'perf.data: walltimestamp with -k mono'
	perf record -q -F 997 -e page-faults -o "$work/e.data" -- "$load" 20 >/dev/null 2>&1
	ask "$work/e.data" 'profile-997 { @ = count(); }'
	like "$err" 'its samples were taken by events, not by time' 'perf.data: samples by events are refused'
	head -c 6000 "$work/p.data" >"$work/cut.data"
	ask "$work/cut.data" 'profile-997 { @ = count(); }'
	like "$err" 'cut.data: offset [0-9]+: .*truncated; the data before it was used$' \
		'perf.data: a truncated file is reported'
else
	skip 'perf.data' 'perf is not installed or cannot sample here'
fi

# ---- the rootless engine, all processes: threads end before dtr can inspect them
"$DTR" record -x ledger=off -x engine=user -g -o "$work/all.rec" 2>"$work/err" &
recorder=$!
children="$children $recorder"
wait_until larger "$work/all.rec" 500
i=0
while [ $i -lt 150 ]; do i=$((i + 1)); (:); done
kill -INT $recorder
wait $recorder
err=$(cat "$work/err")
unlike "$err" 'error' 'all processes, rootless: no errors'
taken=$(printf '%s\n' "$err" | awk '/ samples,/ { print $2 }')
ask "$work/all.rec" 'profile-997 { n++; } END { printf("%d", n); }'
same "$out" "$taken" 'all processes, rootless: the recording contains each sample'

# ---- without privilege
as=$here/tests/kernel/as_user
if "$as" test -x "$DTR"; then
	chmod 711 "$work"
	mkdir "$work/user"
	chmod 777 "$work/user"
	run "$as" "$DTR" record -x nolibs -F 997 -c "$load 500" -o "$work/user/u.rec"
	if [ "$status" = 0 ]; then
		used=$(number load)
		ask "$work/user/u.rec" 'profile-997 { @[execname] = count(); }'
		rate "$(awk "BEGIN { print $(number load) / $used }")" 0.7 1.3 'a recording by an ordinary user'
		ask "$work/user/u.rec" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
		case $err in
		*'no program counters'*) skip 'a recording by an ordinary user has symbols' \
			'perf events are not permitted' ;;
		*) like "$out" 'load`work_[fgh]' 'a recording by an ordinary user has symbols' ;;
		esac
		run "$as" "$DTR" -x nolibs -r "$work/user/u.rec" -n 'profile-997 { @ = count(); }'
		like "$err" '^dtr: the script runs in this process, on the recording' \
			'an ordinary user can query a recording'
	else
		is "$err" '' 'a recording by an ordinary user'
	fi
	if "$as" noperf notrace true 2>/dev/null; then
		: >"$work/blind.rec"
		chmod 666 "$work/blind.rec"
		# the process must not end: /proc would no longer show what it has run since the last reading
		"$as" "$load" 1000000 >/dev/null &
		long=$!
		children="$children $long"
		user_load() { [ "$(cat "/proc/$long/comm")" = load ]; }
		wait_until user_load
		"$as" noperf notrace "$DTR" record -x nolibs -q -g -p $long -o "$work/blind.rec" 2>"$work/blind.err" &
		recorder=$!
		children="$children $recorder"
		wait_until larger "$work/blind.rec" 500
		kill -INT $recorder
		wait $recorder
		is $? 1 'a recording without the stacks that it should have'
		most=$(($(ticks $long) * 1000 / $(getconf CLK_TCK) + 20))
		stop $long
		ask "$work/blind.rec" 'profile-997 { @[execname, arg0, arg1] = count(); }'
		between "$(printf '%s\n' "$out" | awk '$1 == "load" && !$2 && !$3 { print $4 }')" 1 $most \
			'without perf events: samples have process names'
		like "$err" 'warning: the recording has no program counters .arg0 and arg1 are 0., no stacks' \
			'without perf events: a warning says that program counters are missing'
		run "$DTR" -x needpc -qr "$work/blind.rec" -n 'profile-997 { @ = count(); }'
		is "$status:$err" '1:dtr: the recording has neither program counters nor stacks' \
			'needpc: that is an error'
		ask "$work/blind.rec" 'profile-997 { @[ustack()] = count(); }'
		like "$err" 'no stacks were recorded: they need perf events or ptrace' \
			'without perf events: stacks are refused'
	fi
else
	skip 'an ordinary user' 'another user cannot run the build'
fi
done_testing
