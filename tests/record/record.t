# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr record, and dtr -r: known loads are recorded, asked with several scripts, damaged, cut off, and compared with a
# live run.
. "$SRC/tests/lib/tap.sh"
need_kernel
load=$here/tests/record/load

# Under emulation timers come late or not at all.
rate() { # VALUE LOW HIGH NAME
	if [ -n "${DTR_VM-}" ]; then skip "$4" 'rates are not those of a machine'; else between "$@"; fi
}

ask() { # RECORDING SCRIPT [OPTION...]
	ask_r=$1 ask_n=$2
	shift 2
	run "$DTR" -q -r "$ask_r" "$@" -n "$ask_n"
}

# The number behind a word at the beginning of a line of $out.
number() { printf '%s\n' "$out" | awk -v w="$1" '$1 == w { print $NF }'; }

# ---- what the command line refuses
run "$DTR" record
is "$status" 2 'no file, no recording'
like "$err" '^dtr: record: -o FILE is missing' 'and it is said'
run "$DTR" record -o "$work/x" -p 1 -c true
like "$err" 'only one process can be the target' 'two targets'
run "$DTR" record -a -p 1 -o "$work/x"
like "$err" '-a cannot be combined' '-a and -p'
run "$DTR" record -o "$work/x" -F 9999999 -c true
is "$status" 2 'a rate that is too high is a usage error'
like "$err" '^dtr: invalid rate 9999999: interval .* is below the 200 us floor' 'and it is reported'
run "$DTR" record -o "$work/x" -F 0 -c true
is "$status:$(ls "$work/x" 2>/dev/null)" 2: 'so is a rate of 0, and no file is created'
run "$DTR" record -o /nowhere/x -c true
like "$err" 'failed to open /nowhere/x: No such file' 'a file that cannot be made'
run "$DTR" -r /nowhere/x -n 'BEGIN { exit(0); }'
is "$status" 1 'a recording that is not there'
like "$err" '^dtr: /nowhere/x: No such file or directory$' 'and it is said'
run "$DTR" -r /nowhere/x -c true -n 'BEGIN { exit(0); }'
is "$status" 2 'a recording and a command'
run "$DTR" -r "$work/x" -r "$work/y" -n 'BEGIN { exit(0); }'
is "$status $err" "2 dtr: only one recording can be queried at a time (-r $work/x, -r $work/y)" 'two recordings'
run "$DTR" -r "$SRC/README.md" -n 'BEGIN { exit(0); }'
like "$err" 'README.md: offset 0: not a recording of dtr or perf$' 'another file'
run sh -c 'while echo not one; do sleep 0.1; done 2>/dev/null | timeout 5 "$0" -q -r - -n "profile-997 { }"' "$DTR"
is "$status" 1 'a pipe that has no end, and no recording'
like "$err" 'offset 0: not a recording' 'is not waited for, nor kept in memory'

# ---- a known load, with stacks; the same sampled live at the same time
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
like "$err" '^dtr: [0-9]+ samples, 0 lost, [0-9]+ bytes$' 'how much it was'
samples=$(printf '%s\n' "$err" | awk '/ samples,/ { print $2 }')
used=$(number load) child=$(number load-child)
cp "$work/out" "$work/g.out"
kill -INT "$live"
wait "$live"

ask "$work/g.rec" 'profile-997 { @ = count(); }'
same "$(echo $out)" "$samples" 'each sample is there once'
is "$err" '' 'and nothing is said'
# Where the processor is taken away, neither takes a sample: they agree whatever the machine does. Each slice of a
# process is a sample more or less in one of them, of some hundred slices: a few in a hundred, so that 20 in a hundred
# are no chance.
ask "$work/g.rec" 'profile-997 { @[execname] = count(); }'
n=$(number load)
for name in load load-child; do
	rate "$(awk -v w=$name -v n="$(number $name)" '$1 == w && NF == 2 { print n / $2 }' "$work/live")" 0.8 1.25 \
		"samples of $name are those of the live run"
done
between "$n" 50 "$(awk "BEGIN { print $used * 1.25 + 6 }")" 'and no more than its CPU time'
# Each loop's share of the samples against its share of the CPU time that load reports. Samples are independent draws
# (work.h): by Chernoff's bound a share is as far off as 17 allows with probability 2 e^-17 at most, all six shares
# together 3 in ten million.
awk '/^load[.]/ { sub(/load[.]/, ""); print }' "$work/g.out" >"$work/loops"
fair() { # FILE: rows that end in "`FUNCTION COUNT"
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
ok $? 'samples are shared as the CPU time of the functions' "$(cat "$work/fair")" "$out"
grep '^load .*`' "$work/live" >"$work/live.load"
fair "$work/live.load"
ok $? 'the live run agrees' "$(cat "$work/fair" "$work/live")"
ask "$work/g.rec" 'profile-997 /execname == "load" && arg1/ { @[ustack(1)] = count(); }'
like "$out" 'load`work_[fgh]\+0x' 'stacks have names'
ask "$work/g.rec" 'profile-997 { @[arg0 != 0 ? "kernel" : "user"] = count(); @all["all"] = count(); }'
is "$(printf '%s\n' "$out" | awk '{ n += $1 == "all" ? -$2 : $2 } END { print n }')" 0 'kernel and user are all'
ask "$work/g.rec" 'profile-997 /execname == "load"/ { @[uid, curlwpsinfo->pr_pri, curpsinfo->pr_fname] = count(); }'
is "$(printf '%s\n' "$out" | awk 'NF { print $1, $2, $3 }')" "$(id -u) $pri load" \
	'user, priority and name of the process'
ask "$work/g.rec" 'profile-997 /execname == "load-child"/ { @[curpsinfo->pr_ppid == pid ? "?" : "child"] = count(); }'
same "$(number child)" "$(ask "$work/g.rec" 'profile-997 /execname == "load-child"/ { @["n"] = count(); }'; number n)" \
	'its parent'

# ---- in a name space of process IDs: those that dtr sees
if unshare -p -f --mount-proc true 2>/dev/null; then
	for engine in bpf user; do
		run unshare -p -f --mount-proc "$DTR" record -x ledger=off -x engine=$engine -q -c "$load 60" -o \
			"$work/ns.rec"
		ask "$work/ns.rec" 'profile-997 /execname == "load"/ { @[pid, tid, ppid, curpsinfo->pr_ppid,
			curpsinfo->pr_pgid, curpsinfo->pr_sid] = count(); }'
		is "$(printf '%s\n' "$out" | awk 'NF { row = ($1 < 9) " " ($1 == $2) " " $3 " " $4 " " $5 " " $6 }
			END { print row }')" '1 1 1 1 0 0' "a name space of process IDs, $engine"
	done
else
	skip 'a name space of process IDs' 'none can be had'
fi

# ---- deterministic to the byte
for script in 'profile-997 { @[ustack(), stack(), execname, cpu, pid] = count(); }' \
	'profile-997 { printf("%d %d %d %d %s %x %x %d\n", timestamp, walltimestamp, pid, tid, execname, arg0, arg1,
	arg2); }' \
	'BEGIN { trace(timestamp); trace(pid); } profile-997 { @[probefunc, rand() % 10] = quantize(arg2); }
	tick-100ms { trace(cpu); printa(@); clear(@); } END { trace(timestamp); }'; do
	# emulation is slow, and no kernel has a part in this
	[ -z "${DTR_VM-}" ] || case $script in BEGIN*) ;; *) continue ;; esac
	ask "$work/g.rec" "$script"
	is "$status" 0 'a script is asked'
	cp "$work/out" "$work/first"
	ask "$work/g.rec" "$script"
	cmp -s "$work/out" "$work/first"
	ok $? 'twice, and the answer is the same to the byte'
	like "$(wc -c <"$work/first")" '^[0-9]{3,}$' 'which is more than nothing'
done

# ---- BEGIN, END and tick go by the recorded time
ask "$work/g.rec" 'uint64_t first; BEGIN { @t["begin"] = max(timestamp); } profile-997 /!first/ { first = timestamp;
	@t["first"] = max(timestamp); }
	profile-997 { @t["last"] = max(timestamp); } END { @t["end"] = max(timestamp); }'
ok "$([ "$(number begin)" -lt "$(number first)" ] && [ "$(number last)" -le "$(number end)" ]; echo $?)" \
	'BEGIN before the samples, END behind them' "$out"
tenths=$((($(number end) - $(number begin)) / 100000000))
ask "$work/g.rec" 'profile-997 { n++; } tick-100ms { @["sum"] = sum(n); n = 0; t++; } END {
	printf("ticks %d\nrest %d\n", t, n); }'
same "$(($(number sum) + $(number rest)))" "$samples" 'ticks divide the samples'
between "$(number ticks)" $((tenths - 2)) $((tenths + 2)) 'one each tenth of a recorded second'
ask "$work/g.rec" 'profile-997 { @ = count(); } tick-200ms { printa("row %@d\n", @); clear(@); } END {
	printa("row %@d\n", @); }'
is "$(printf '%s\n' "$out" | awk '/^row/ { n += $2 } END { print n }')" "$samples" \
	'an aggregation that is printed and cleared on the way loses nothing'
between "$(printf '%s\n' "$out" | awk '/^row/ && $2 > m { m = $2 } END { print m }')" 1 $((200 * 2 + 20)) \
	'and each row is of its own time'
ask "$work/g.rec" 'profile-997 { n++; } profile-997 /n == 10/ { printf("%d\n", n); exit(3); }'
is "$status $out" '3 10' 'exit() ends it there'

# ---- what a recording cannot say
ask "$work/g.rec" 'profile-97 { @ = count(); }'
is "$status" 1 'another rate is refused'
like "$err" 'the recording has samples of profile-997, not of profile-97$' 'with both rates'
ask "$work/g.rec" 'syscall::read:entry { @ = count(); }'
like "$err" 'failed to enable probe syscall:[a-z]*:read:entry: a recording has only timed samples, no other events' \
	'another probe is refused'
ask "$work/g.rec" 'profile-997 { @[vtimestamp] = count(); }'
like "$err" 'vtimestamp was not recorded' 'vtimestamp is refused'
ask "$work/g.rec" 'profile-997 /progenyof(1)/ { @ = count(); }'
is "$status $err" '1 dtr: progenyof() (curthread->real_parent->real_parent) was not recorded' 'so are ancestors'
ask "$work/g.rec" 'profile-997 { @[curpsinfo->pr_ttydev] = count(); }'
is "$status $err" '1 dtr: pr_ttydev (curthread->signal->tty) was not recorded' 'and the terminal'
ask "$work/g.rec" 'profile-997 { @[stringof(curthread->real_parent->comm)] = count(); }'
like "$err" ': line 1: curthread->real_parent->comm was not recorded$' "and the parent's name"
ask "$work/g.rec" 'profile-997 /arg1/ { @[copyinstr(arg1)] = count(); }'
like "$err" 'warning: the memory of processes was not recorded: reading it faults' 'memory: a warning'
like "$err" 'error on enabled probe .*: invalid (user )?(address|access)' 'and a fault'
is "$out" '' 'and nothing else'

# ---- compressed, and without stacks
run "$DTR" record -x ledger=off -qz -F 997 -c "$load 300" -o "$work/z.rec"
is "$status $err" '0 ' 'compressed'
ask "$work/z.rec" 'profile-997 { @ = count(); }'
n=$(echo $out)
rate "$n" 50 3000 'its samples'
between "$(($(wc -c <"$work/z.rec") / n))" 1 39 'less than 40 bytes a sample'
ask "$work/z.rec" 'profile-997 { @[ustack()] = count(); }'
like "$err" 'z.rec: no stacks were recorded: use dtr record -g$' 'stacks that were not recorded'

cat "$work/z.rec" "$work/z.rec" >"$work/two.rec"
ask "$work/two.rec" 'profile-997 { @ = count(); }'
same "$(echo $out)" "$n" 'two recordings in a file: the first one is asked'
like "$err" "offset $(wc -c <"$work/z.rec"): the trailing data does not belong" 'the other is told'

# ---- what cannot begin leaves the file as it was; what can takes its place
cp "$work/z.rec" "$work/old.rec"
run "$DTR" record -q -p 4194304 -o "$work/old.rec"
is "$status" 1 'no such process'
run "$DTR" record -o "$work/old.rec" -c "$work/nowhere"
is "$status" 1 'no such command'
like "$err" "failed to execute $work/nowhere: No such file" 'which is told'
printf '#!%s/nowhere\n' "$work" >"$work/lost.sh"
chmod +x "$work/lost.sh"
run "$DTR" record -x ledger=off -o "$work/old.rec" -c "$work/lost.sh"
is "$status" 1 'a command without its interpreter'
is "$err" "dtr: failed to execute $work/lost.sh: its interpreter does not exist" 'which is told, and nothing of samples'
cmp -s "$work/z.rec" "$work/old.rec"
ok $? 'leaves an older recording alone'
echo old >"$work/old.html"
run "$DTR" -x ledger=off -O html -o "$work/old.html" -c "$work/lost.sh" -n 'profile-997 { @[stack()] = count(); }'
is "$status $(cat "$work/old.html")" '1 old' 'nor is a picture lost'
run "$DTR" record -x ledger=off -q -c "$load 20" -o "$work/old.rec"
ask "$work/old.rec" 'profile-997 { @ = count(); }'
is "$status $err" '0 ' 'another one takes its place'

# ---- into a pipe, and out of one
run sh -c \
	'"$1" record -x ledger=off -F 997 -c "$2 100" -o - 2>"$3/pipe.err" | "$1" -q -r - -n "profile-997 { @ = '\
'count(); }"' sh "$DTR" "$load" "$work"
is "$status $err" '0 ' 'a recording on standard output'
same "$(echo $out)" "$(awk '/ samples,/ { print $2 }' "$work/pipe.err")" \
	'and asked at the other end of the pipe: all samples'
like "$(cat "$work/pipe.err")" '^load [0-9.]+$' 'standard error has what the command prints'
run test -e -
is "$status" 1 'and no file has that name'
if command -v script >/dev/null; then
	run script -qec "'$DTR' record -c true -o -" /dev/null
	is "$status" 1 'but not on a terminal'
	like "$out" 'dtr: record: refusing to write a recording to a terminal: use a file or a pipe' 'which is told'
else
	skip 'a terminal' 'no script(1)'
fi
cp "$work/z.rec" "$work/more.rec"
"$DTR" record -x ledger=off -q -c true -o - >>"$work/more.rec"
ask "$work/more.rec" 'profile-997 { @ = count(); }'
same "$(echo $out)" "$n" 'what standard output holds is not emptied'
like "$err" "offset $(wc -c <"$work/z.rec"): the trailing data does not belong" 'and more of it'

# ---- names survive the program
cp "$load" "$work/gone"
run "$DTR" record -x ledger=off -q -g -c "$work/gone 400" -o "$work/gone.rec"
rm "$work/gone"
ask "$work/gone.rec" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
like "$out" 'gone`work_[fgh]' 'a program that was removed since has names'

# ---- what is lost is written down
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; } # PID: of its CPU time
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
between "$lost" 1 10000000 'a recorder that sleeps loses samples'
ask "$work/lost.rec" 'profile-4999 { @ = count(); }'
same "$(echo $out)" "$(awk '/ samples,/ { print $2 }' "$work/lost.err")" 'and has the others'
is "$(printf '%s\n' "$err" | awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }')" "$lost" \
	'the loss is told when it is asked'
run "$DTR" -x ledger -r "$work/lost.rec" -qn 'profile-4999 { @ = count(); }'
is "$(printf '%s\n' "$err" | awk '/^  probe/ { full = $5 } $1 == "profile-4999" { print full, $3 - $4, $7 }')" \
	"full $lost $lost" \
	'the ledger of a recording has what it says was lost'

# ---- damage
size=$(wc -c <"$work/g.rec")
head -c $((size - 1500)) "$work/g.rec" >"$work/cut.rec"
ask "$work/cut.rec" 'profile-997 { @ = count(); }'
is "$status" 1 'cut off'
like "$err" \
	'^dtr: .*cut.rec: offset [0-9]+: the recording is truncated in the middle of a block; the data before it was '\
'used$' 'with the offset'
# In the contents of the second block: behind the file's head (16 bytes), the first block, the second one's head.
cp "$work/g.rec" "$work/bad.rec"
at=$((16 + 20 + $(od -An -tu4 -j28 -N4 "$work/g.rec") + 20 + 40))
printf "\\$(printf %o $(($(od -An -tu1 -j$at -N1 "$work/g.rec") ^ 1)))" | dd of="$work/bad.rec" bs=1 seek=$at \
	conv=notrunc 2>/dev/null
ask "$work/bad.rec" 'profile-997 { @ = count(); }'
like "$err" "^dtr: .*bad.rec: offset [0-9]+: the block's checksum is wrong; the data before it was used\$" \
	'a byte that was changed'
is "$(printf '%s\n' "$err" | wc -l)" 1 'one message'

# ---- killed in the middle
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
is "$status" 1 'kill -9 while it records'
like "$err" \
	'k.rec: offset [0-9]+: the recording (was interrupted|is truncated in the middle of a block); '\
'the data before it was used' 'it is said'
between "$(number load)" 20 1000000 'what was there before is used'
like "$out" 'load`work_[fgh]' 'with names'

# ---- a kernel without type information: its children are recorded by the rootless engine, and threads are known by
# name
nobtf=$work/nobtf
printf 'mount -t tmpfs none /sys/kernel/btf && exec "$@"\n' >"$nobtf"
if unshare -m sh "$nobtf" true 2>/dev/null; then
	run unshare -m sh "$nobtf" "$DTR" record -x ledger -q -g -c "$load 300" -o "$work/b.rec"
	is "$status" 0 'a kernel without type information'
	used=$(number load) child=$(number load-child)
	due=$(printf '%s\n' "$err" | awk '$1 == "profile-997" { print $3, $4 }')
	ask "$work/b.rec" 'profile-997 { @[execname] = count(); @n["all"] = count(); }'
	same "$(number all)" "${due#* }" 'each firing that its ledger says was delivered is there'
	rate "${due% *}" "$(awk "BEGIN { print ($used + $child) / 2 }")" \
		"$(awk "BEGIN { print ($used + $child) * 1.3 + 6 }")" 'and what was due is the time'
	between "$(number load)" 20 "$(number all)" 'a process'
	between "$(number load-child)" 10 "$(number all)" 'and its child'
	ask "$work/b.rec" 'profile-997 /execname == "load" && arg1/ { @[ustack()] = count(); }'
	like "$out" 'load`work_[fgh]' 'with stacks'
	ask "$work/b.rec" 'profile-997 { printf("%d %d\n", curpsinfo->pr_pid == pid, curlwpsinfo->pr_pri); exit(0); }'
	like "$err" \
		'warning: the recording has only names and IDs of threads: other members of curthread, curpsinfo and '\
'curlwpsinfo' 'priorities were not recorded'
	like "$err" 'invalid address' 'and are a fault'
	run unshare -m sh "$nobtf" "$DTR" record -x ledger=off -x engine=bpf -q -c "$load 100" -o "$work/b.rec"
	like "$err" '^dtr: warning: children of the process are not recorded: this kernel offers no type information' \
		'the kernel engine says so'
	ask "$work/b.rec" 'profile-997 { @[execname] = count(); }'
	unlike "$out" load-child 'and does not'
else
	skip 'a kernel without type information' 'no mount name space can be had'
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
	is "$(printf '%s\n' "$out" | grep -c 'No space left on device')" 1 'with one message'
	run "$DTR" -q -r "$work/full.rec" -n 'profile-4999 { @ = count(); }'
	like "$err" 'full.rec: offset [0-9]+: the recording was interrupted' 'and with a whole block'
	between "$(echo $out)" 10 1000000 'whose samples are there'
else
	skip 'a full disk' 'no mount name space can be had'
fi

# ---- perf record
if command -v perf >/dev/null && perf record -q -F 997 -g -o "$work/p.data" -- "$load" 400 >"$work/used" 2>/dev/null
then
	n=$(perf script -i "$work/p.data" -F comm 2>/dev/null | grep -c .)
	ask "$work/p.data" 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$n" 'a file of perf record: its samples'
	for name in load load-child; do
		ask "$work/p.data" 'profile-997 { @[execname] = count(); }'
		same "$(number $name)" "$(perf script -i "$work/p.data" -F comm 2>/dev/null |
			awk -v c=$name '$1 == c { n++ } END { print n }')" "those of $name"
	done
	ask "$work/p.data" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
	like "$out" 'load`work_[fgh]' 'functions have names'
	ask "$work/p.data" 'profile-997 /execname == "load" && arg1/ { @[ustack()] = count(); }'
	like "$out" 'load`main\+0x' 'stacks, too'
	ask "$work/p.data" 'profile-97 { @ = count(); }'
	like "$err" 'the recording has samples of profile-997, not of profile-97$' 'another rate is refused'
	ask "$work/p.data" 'profile-997 { @[uid] = count(); }'
	like "$err" 'the recording lacks the user' 'what perf does not record is refused'
	ask "$work/p.data" 'profile-997 { @[walltimestamp] = count(); }'
	like "$err" 'the recording lacks the time of day (.*): use perf record -k mono' 'nor the time of day'
	ask "$work/p.data" 'profile-997 { @[curpsinfo->pr_uid] = count(); }'
	like "$err" 'invalid address' 'nor the user by another way'
	is "$out" '' 'which is not counted as root'
	for what in '@[cpu] = count();' '@[curcpu->cpu_chip] = count();'; do
		ask "$work/p.data" "profile-997 { $what }"
		like "$err" 'the recording lacks the CPU .*--sample-cpu' "nor does it the CPU unless asked: $what"
	done
	ask "$work/p.data" 'profile-997 { @ = count(); }' -x cpu=0
	like "$err" 'the recording lacks the CPU' 'so that one cannot be chosen'
	perf record -q -F 997 --sample-cpu -o "$work/c.data" -- "$load" 100 >/dev/null 2>&1
	ask "$work/c.data" 'profile-997 { @["cpu", cpu] = count(); }'
	is "$(printf '%s\n' "$out" | awk 'NF { print $2, $3 }' | sort)" "$(perf script -i "$work/c.data" -F cpu \
		2>/dev/null |
		awk '{ gsub(/[][]/, ""); n[$1 + 0]++ } END { for (c in n) print c, n[c] }' | sort)" \
			'it is there if it was'
	perf record -q -F 997 -o - -- "$load" 100 2>/dev/null >"$work/pipe.data"
	run sh -c 'cat "$1" | "$2" -q -r - -n "$3"' sh "$work/pipe.data" "$DTR" 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$(perf script -i "$work/pipe.data" -F comm 2>/dev/null | grep -c .)" \
		'what perf writes into a pipe'
	mkfifo "$work/fifo"
	cat "$work/p.data" >"$work/fifo" &
	ask "$work/fifo" 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$n" 'a file that comes through a pipe'
	if perf record -q -z -F 997 -o "$work/z.data" -- "$load" 100 >/dev/null 2>&1; then
		ask "$work/z.data" 'profile-997 { @ = count(); }'
		same "$(echo $out)" "$(perf script -i "$work/z.data" -F comm 2>/dev/null | grep -c .)" \
			'a compressed one'
	fi
	cp "$load" "$work/kept"
	HOME=$work perf record -q -F 997 -o "$work/kept.data" -- "$work/kept" 100 >/dev/null 2>&1
	rm "$work/kept"
	HOME=$work ask "$work/kept.data" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
	like "$out" 'kept`work_[fgh]' 'the names of a program that is gone come from where perf keeps it'
	HOME=/nowhere ask "$work/kept.data" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
	like "$out" 'kept`0x' 'and are addresses without'
	before=$(date +%s)
	perf record -q -k mono -F 997 -e page-faults -e cpu-clock -e task-clock -o "$work/e.data" -- "$load" 100 \
		>/dev/null 2>&1
	run "$DTR" -r "$work/e.data" -n 'profile-997 { @ = count(); }'
	same "$(echo $out)" "$(perf script -i "$work/e.data" -F event 2>/dev/null | grep -c cpu-clock)" \
		'of several events the clock'
	like "$err" 'its event 2 .cpu-clock., not the others' 'and it is said'
	ask "$work/e.data" 'profile-997 { @ = max(walltimestamp / 1000000000); }'
	between "$(echo $out)" "$before" "$(date +%s)" 'with -k the time of day is known'
	perf record -q -F 997 -e page-faults -o "$work/e.data" -- "$load" 20 >/dev/null 2>&1
	ask "$work/e.data" 'profile-997 { @ = count(); }'
	like "$err" 'its samples were taken by events, not by time' 'samples of faults are none of time'
	head -c 6000 "$work/p.data" >"$work/cut.data"
	ask "$work/cut.data" 'profile-997 { @ = count(); }'
	like "$err" 'cut.data: offset [0-9]+: .*truncated; the data before it was used$' 'cut off'
else
	skip 'a file of perf record' 'perf is not installed, or may not sample here'
fi

# ---- the rootless engine, of everything: threads end before anything can be asked about them
"$DTR" record -x ledger=off -x engine=user -g -o "$work/all.rec" 2>"$work/err" &
recorder=$!
children="$children $recorder"
wait_until larger "$work/all.rec" 500
i=0
while [ $i -lt 150 ]; do i=$((i + 1)); (:); done
kill -INT $recorder
wait $recorder
err=$(cat "$work/err")
unlike "$err" 'error' 'all processes by the rootless engine'
taken=$(printf '%s\n' "$err" | awk '/ samples,/ { print $2 }')
ask "$work/all.rec" 'profile-997 { n++; } END { printf("%d", n); }'
same "$out" "$taken" 'each sample is there'

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
		rate "$(awk "BEGIN { print $(number load) / $used }")" 0.7 1.3 'recorded by an ordinary user'
		ask "$work/user/u.rec" 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }'
		case $err in
		*'no program counters'*) skip 'with names' 'perf events are forbidden' ;;
		*) like "$out" 'load`work_[fgh]' 'with names' ;;
		esac
		run "$as" "$DTR" -x nolibs -r "$work/user/u.rec" -n 'profile-997 { @ = count(); }'
		like "$err" '^dtr: the script runs in this process, on the recording' \
			'and asked by one: no privilege is missing'
	else
		is "$err" '' 'recorded by an ordinary user'
	fi
	if "$as" noperf true 2>/dev/null; then
		: >"$work/blind.rec"
		chmod 666 "$work/blind.rec"
		# of a process that goes on: what has run since the last look is not seen of one that has ended
		"$as" "$load" 1000000 >/dev/null &
		long=$!
		children="$children $long"
		user_load() { [ "$(cat "/proc/$long/comm")" = load ]; }
		wait_until user_load
		"$as" noperf "$DTR" record -x nolibs -q -g -p $long -o "$work/blind.rec" 2>"$work/blind.err" &
		recorder=$!
		children="$children $recorder"
		wait_until larger "$work/blind.rec" 500
		kill -INT $recorder
		wait $recorder
		is $? 0 'recorded without perf events'
		most=$(($(ticks $long) * 1000 / $(getconf CLK_TCK) + 20))
		stop $long
		ask "$work/blind.rec" 'profile-997 { @[execname, arg0, arg1] = count(); }'
		between "$(printf '%s\n' "$out" | awk '$1 == "load" && !$2 && !$3 { print $4 }')" 1 $most \
			'without perf events: who ran'
		like "$err" 'warning: the recording has no program counters .arg0 and arg1 are 0., no stacks' \
			'but not where, which is told'
		ask "$work/blind.rec" 'profile-997 { @[ustack()] = count(); }'
		like "$err" 'no stacks were recorded: they need perf events' 'nor with which stacks'
	fi
else
	skip 'an ordinary user' 'another user cannot run the build'
fi
done_testing
