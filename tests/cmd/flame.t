# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr flame: one command, one picture.
. "$SRC/tests/lib/tap.sh"
chain=$here/tests/symbols/chain
cd "$work" || exit 1
PATH_OF_CHAIN='chain`main;chain`outer;chain`middle;chain`shape::area\(int\);chain`inner'

# ---- the command line ----
run "$DTR" flame -a -c true
like "$status:$err" '^2:dtr flame: -a cannot be combined with -p or -c' '-a and -c are refused'
run "$DTR" flame -o picture.png -c true
like "$status:$err" "^2:dtr flame: the ending of 'picture.png' is not that of a picture: .html, .folded, " \
	'a file with another ending is refused'
run "$DTR" flame -O text -c true
like "$status:$err" '^2:dtr flame: -O text is not the format of a picture' '-O text is refused'
run "$DTR" flame -F often -c true
like "$status:$err" "^2:dtr flame: invalid rate 'often'" 'an invalid rate is refused'
run "$DTR" flame -t soon -c true
like "$status:$err" "^2:dtr flame: invalid period 'soon'" 'an invalid period is refused'
is "$(ls)" "err
out" 'a usage error leaves no file'
rate() { run "$DTR" flame "$@" -l; printf '%s\n' "$out" | awk '$2 == "profile" && $3 ~ /^profile-/ { print $3 }'; }
is "$(rate -c true)" profile-997 'default rate for a command: 997 Hz'
is "$(rate)" profile-199 'default rate for all processes: 199 Hz'
is "$(rate -a)" profile-199 '-a: the same'
is "$(rate -F 50)" profile-50 '-F sets the rate'
is "$(rate -a -F 50)" profile-50 '-a with -F'
run "$DTR" flame -e -c true
is "$status:$(ls | tr '\n' ' ')" '0:err out ' '-e and -l write no picture'

# ---- the picture, by the interpreter's engine or the kernel's ----
need_kernel
need_room
total() { awk '{ n += $NF } END { print n + 0 }' "$1"; }
echo old >x.folded
run "$DTR" flame -o x.folded -c "$chain 300"
is "$status" 0 'flame -c'
like "$err" '^dtr: x.folded: [0-9]+ samples, [0-9.]+ % with complete stacks, [0-9.]+ % of firings lost$' \
	'one line describes the picture: samples, share of complete stacks, losses'
is "$(printf '%s\n' "$err" | grep -c x.folded)" 1 'only one'
is "$(printf '%s\n' "$err" |
	sed -n 's/.*folded: \([0-9]*\) .*/\1/p')" "$(total x.folded)" 'it has the number of samples'
like "$(cat x.folded)" "^chain;.*$PATH_OF_CHAIN [0-9]+\$" 'the picture has the stack of the program'
unlike "$(cat x.folded)" '^old' 'the file is replaced'
like "$("$DTR" flame -x engine=user -o y.folded -c "$chain 300" 2>&1)" \
	'^dtr: y.folded: [0-9]+ samples, [0-9.]+ % with complete stacks, [0-9.]+ % of firings lost$' \
	'rootless: the line has the share of complete stacks and the losses'
like "$(cat y.folded)" "^chain;.*$PATH_OF_CHAIN [0-9]+\$" 'rootless: the picture has the stack of the program'
run "$DTR" flame -c "sh -c '$chain 200; exit 3'"
is "$status" 0 'a command that fails is no error'
like "$err" '^dtr: pid [0-9]+ exited with status 3$' 'its status is reported'
like "$err" '^dtr: flame.html: ' 'the default file is flame.html'
like "$(cat flame.html)" '"unit":"samples".*"chain"' 'its descendants are in the picture'
run "$DTR" flame -q -o q.folded -c "$chain 100"
is "$status:$(messages)" 0: '-q: no line'
like "$(cat q.folded)" '^chain;' 'but the picture'
sum=$(cksum <flame.html)
run "$DTR" flame -o flame.html -c ./nowhere
is "$status:$(cksum <flame.html)" "1:$sum" 'a command that does not exist: the old picture remains'
run "$DTR" flame -o new.html -c ./nowhere
is "$status:$(ls new.html 2>&1 | grep -c cannot)" 1:1 'or no file'
for pair in 'pb.gz pprof' 'json speedscope' 'txt folded'; do
	run "$DTR" flame -o "z.${pair% *}" -c "$chain 200"
	is "$status" 0 "a picture in z.${pair% *}"
done
like "$("$here/tests/lib/profileshow" <z.pb.gz)" '^type @ count' '.pb.gz is pprof'
like "$(cat z.json)" '"exporter":"dtr"' '.json is speedscope'
like "$(cat z.txt)" "^chain;.*$PATH_OF_CHAIN [0-9]+\$" '.txt is folded'
run "$DTR" flame -O folded -c "$chain 200"
like "$(cat flame.folded)" '^chain;' '-O sets the format and the default file'
run "$DTR" flame -O folded -o any -c "$chain 200"
like "$(cat any)" '^chain;' '-O with a file of any name'

# Frames of the kernel are on top of those of the process.
run "$DTR" flame -o dd.folded -c 'dd if=/dev/zero of=/dev/null bs=1 count=300000'
like "$(cat dd.folded)" '^dd;([^;]*;)+vmlinux`[^;]*( |;)' 'a path through the process into the kernel'
unlike "$(cat dd.folded)" 'vmlinux`[^;]*;(dd|libc[^;`]*)`' 'no path from the kernel into the process'

# ---- a process, until Ctrl-C; the machine, for a time ----
spin_on "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"
"$DTR" flame -p "$spin" -o p.folded -n 'BEGIN { printf("begun\n"); }' 2>p.err &
tracer=$!
children="$children $tracer"
wait_for begun p.err
ran=$(awk '{ sub(/.*\) /, ""); print $12 }' "/proc/$spin/stat")
wait_until has_run "$spin" $((ran + 30))
kill -INT $tracer
wait $tracer
is "$?:$(sed 's/;.*//' p.folded | sort -u)" 0:sh 'flame -p: Ctrl-C ends it, and only the process is in the picture'
like "$(cat p.err)" '^dtr: p.folded: [0-9]+ samples' 'flame -p: the line at the end'
run "$DTR" flame -t 300ms -F 997 -o all.folded
is "$status" 0 'flame -t ends by itself'
like "$err" '^dtr: all.folded: [0-9]+ sample' 'flame of all processes'

# ---- time off the CPU ----
run "$DTR" flame --off-cpu -x engine=user -o off.html -c true
like "$status:$err" '^1:.*without BPF only .* are available' 'rootless: --off-cpu is refused, with the reason'
is "$(ls off.html 2>&1 | grep -c cannot)" 1 'and leaves no file'
if with_bpf 'sched probes'; then
	run "$DTR" flame --off-cpu -F 99 -c true
	like "$status:$err" "^1:.*extraneous argument '99'" '--off-cpu takes no rate'
	if_can 'flame --off-cpu' types || done_testing
	# several, because the end of a wait is not seen if the thread that ran before is one that may not be traced
	run "$DTR" flame --off-cpu -o off.folded -c "sh -c 'for i in 1 2 3 4; do sleep 0.1; done'"
	is "$status" 0 'flame --off-cpu'
	like "$err" '^dtr: off.folded: [0-9]+\.[0-9]{3} seconds' 'the line has the time'
	between "$(grep '^sleep;.*nanosleep.*schedule' off.folded | total -)" 100000000 200000000000 \
		'the time asleep, by stack'
	run "$DTR" flame --off-cpu -o off.html -c 'sleep 0.1'
	like "$(cat off.html)" '"unit":"nanoseconds"' 'the picture has the unit'
	run "$DTR" flame --off-cpu -t 200ms -o all.json
	like "$(cat all.json)" '"unit":"nanoseconds"' 'flame --off-cpu of all processes'

	run "$DTR" flame --wall -o wall.folded -c "$here/tests/kernel/waits"
	is "$status" 0 'flame --wall'
	for cause in futex sleep event child 'read, write' socket; do
		unlike "$(grep -F "waits;[$cause];" wall.folded | total -)" '^0?$' "flame --wall: waits: $cause"
	done
	between "$(grep -F 'waits;[sleep];' wall.folded | total -)" 400000000 200000000000 \
		'flame --wall: the time asleep'
	between "$(grep -F 'waits;[on CPU];' wall.folded | total -)" 100000000 200000000000 \
		'flame --wall: the time on the CPU'
	run "$DTR" flame --wall -C -t 200ms -o all.json
	like "$(cat all.json)" '"unit":"nanoseconds"' 'flame --wall of all processes, by container'
	run "$DTR" flame --wall --off-cpu -c true
	like "$status:$err" '^2:.*--wall cannot be combined with --off-cpu' '--wall with --off-cpu is refused'
fi
done_testing
