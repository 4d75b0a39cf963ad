# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names of code that a program generates: jit.c describes its code in perf-PID.map or in a jitdump file, and changes its
# thread's name at the same time. So no sample may have a name of another phase, whatever the machine does. In both
# engines, as keys, in records, and in recordings; with files that must not be used.
. "$SRC/tests/lib/tap.sh"
# shellcheck disable=SC2086 # $as is empty or a command
:
MS=200
chmod 755 "$work"
mkdir -m 777 "$work/open"
cp "$here/tests/symbols/jit" "$work/open/jit"
jit=$work/open/jit

script='profile-997 /progenyof($target) && arg1 && execname != "between"/ {
	@s[execname, usym(arg1)] = count(); @m[execname, umod(arg1)] = count(); @k[execname, ustack(1)] = count();
	printf("r %s %A\n", execname, usym(arg1)); }
	END { printa("s %s %A %@d\n", @s); printa("m %s %A %@d\n", @m); printa("k %s %k %@d\n", @k); }'

# Removes what a program with this ID has left, unless it had a /tmp of its own.
tidy() { # PID
	[ -z "$1" ] || rm -rf "/tmp/perf-$1.map" "/tmp/perf-$1.map.real" "/tmp/jit-$1.dump"
}

# NAME "PHASE=WORD ..." KINDS: samples of each phase have the name with this word (- : an address only), and no others.
judge() {
	# one line per row: a stack follows the line of its key
	awk '/^k / { head = $1 " " $2; next }
		head == "" && /^[a-z] / { print; next }
		!NF { next }
		/^ *[0-9]+$/ { print head, stack, $1; head = ""; next }
		{ sub(/^ +/, ""); stack = $0 }' "$work/out" >"$work/flat"
	awk -v want="$2" -v kinds="$3" '
		function bad(s) { if (failed++ < 5) print "wrong: " s }
		BEGIN {
			n = split(want, w, " ")
			for (i = 1; i <= n; i++) { split(w[i], kv, "="); expect[kv[1]] = kv[2] }
		}
		index(" " kinds " ", " " $1 " ") {
			count = $1 == "r" ? 1 : $NF
			name = $0
			sub(/^[a-z] [^ ]+ /, "", name)
			if ($1 != "r") sub(/ [0-9]+$/, "", name)
			if (!($2 in expect)) next
			word = expect[$2]
			if (name !~ /^\[jit\]/ && name !~ /^0x/) next	# not in the generated code
			if (word == "-") right = name ~ /^0x/
			else if ($1 == "m") right = name == "[jit]"
			else right = name ~ ("^.jit.`jit " word "( /a.js:[0-9]+)?([+]0x[0-9a-f]+)?$")
			if (right) good[$1, $2] += count
			else bad($0)
		}
		END {
			k = split(kinds, kind, " ")
			for (p in expect) for (i = 1; i <= k; i++)
				if (good[kind[i], p] < 10) bad("only " good[kind[i], p] + 0 " of " p " in " kind[i])
			exit failed > 0
		}' "$work/flat" >"$work/judged" && [ -s "$work/flat" ]
	ok $? "$1" "$(cat "$work/judged")" "status $status" "$err" "$(sort "$work/flat" | uniq -c | sort -rn |
		head -n 40)"
}

# NAME WANT ARGUMENTS...: live
live() {
	tap_name=$1 tap_want=$2
	shift 2
	printf '#!/bin/sh\nexec %s >"%s"\n' "$jit $*" "$work/open/said" >"$work/command"
	chmod 755 "$work/command"
	rm -f "$work/open/said"
	run $as "$DTR" -x engine=$engine -x ledger=off -x bufsize=16m -qn "$script" -c "$work/command"
	tidy "$(awk '$1 == "pid" { print $2 }' "$work/open/said")"
	judge "$engine: $tap_name" "$tap_want" "${kinds:-s m k r}"
}

# The same with a recording.
recorded() {
	tap_name=$1 tap_want=$2
	shift 2
	printf '#!/bin/sh\nexec %s >"%s"\n' "$jit $*" "$work/open/said" >"$work/command"
	rm -f "$work/open/said" "$work/open/rec"
	run $as "$DTR" record -x engine=$engine -F 997 -g -c "$work/command" -o "$work/open/rec"
	tidy "$(awk '$1 == "pid" { print $2 }' "$work/open/said")"
	tap_told=$err
	run "$DTR" -r "$work/open/rec" -qn "$(printf '%s\n' "$script" | sed 's/progenyof($target) && //')"
	err="$err $tap_told"
	judge "$engine: $tap_name, recorded" "$tap_want" 's m k r'
}

both_ways() {
	live "$@"
	recorded "$@"
}

# KIND [TEXT]: a file that must not be used; the warning has this text.
refused() {
	live "perf-PID.map is refused: $1" 'phase0=-' $MS "file:$1:a"
	[ $# = 1 ] || like "$err" "warning: cannot read /tmp/perf-[0-9]*.map: $2: some addresses" \
		"$engine: the warning says why: $1"
}

scenarios() {
	both_ways 'perf-PID.map grows' 'phase0=one phase1=two phase2=three phase3=one' \
		$MS map:one:a map:two:b map:three:c none:-:a
	# The map has no times: while the program runs, a record is shown with the name that is the newest then.
	kinds='s m k' live 'the newest line counts' 'phase0=new phase1=other phase2=new' $MS map:old:a map:other:b \
		map:new:a
	kinds=
	live 'perf-PID.map is replaced' 'phase0=two phase1=two' $MS new:two:a new:two:a
	# The kernel engine gives all code in the same memory one key.
	[ $engine = user ] || kinds=r
	both_ways 'jitdump: code is loaded, moved, and its place used again' \
		'phase0=alpha phase1=alpha phase2=beta phase3=gamma phase4=beta' \
		$MS load:alpha:a move:a:b load:beta:a load:gamma:b move:a:c
	kinds=
	both_ways 'jitdump and perf-PID.map' 'phase0=one phase1=two' $MS load:one:a map:two:b
	both_ways 'code in a file in memory' 'phase0=one phase1=two phase2=two' memfd $MS load:one:a map:two:b none:-:b
	both_ways 'code that is not described' 'phase0=- phase1=two' $MS none:-:a map:two:b
	both_ways 'lines that make no sense' 'phase0=noise' $MS file:noise:a
	both_ways 'a map of a terabyte' 'phase0=huge' $MS file:huge:a
	refused fifo 'not a regular file'
	refused folder 'not a regular file'
	refused link 'it is a symbolic link'
	[ "$(id -u)" != 0 ] || [ -n "$as" ] || refused foreign 'it belongs to another user than the process'
}

# The program sees other IDs and another /tmp; both have ended when the keys are shown.
apart() {
	both_ways 'perf-PID.map in other name spaces' 'phase0=one phase1=two' apart $MS map:one:a map:two:b
	both_ways 'jitdump in other name spaces' 'phase0=one phase1=one phase2=three' \
		apart $MS load:one:a move:a:b map:three:c
}

# A compiler of this system, with the number of samples in one function. $1: what it is, the rest: its command.
compiler() {
	tap_name=$1
	shift
	run "$DTR" -x engine=$engine -qn 'profile-997 /pid == $target && arg1/ { @[usym(arg1)] = count(); }' -c "$*"
	tidy "$(sed -n 's/^pid \([0-9]*\)$/\1/p' "$work/out")"
	between "$(awk '/^ *\[jit\]`.*hot_function/ { n += $NF } END { print n + 0 }' "$work/out")" 50 1e9 \
		"$engine: $tap_name"
}

compilers() {
	cat >"$work/hot.js" <<-'END'
	console.log("pid " + process.pid);
	function hot_function(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
	const until = process.cpuUsage().user + 1e6;
	while (process.cpuUsage().user < until) hot_function(1000000);
	END
	if command -v node >/dev/null; then
		compiler 'node --perf-basic-prof' node --perf-basic-prof "$work/hot.js"
		compiler 'node --perf-prof' env -C "$work/open" node --perf-prof "$work/hot.js"
	else
		skip "$engine: node" 'node is not installed'
	fi
	cat >"$work/hot.py" <<-'END'
	import os, time
	print("pid", os.getpid(), flush=True)
	def hot_function():
	    until = time.process_time() + 1
	    while time.process_time() < until:
	        pass
	hot_function()
	END
	if python3 -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null; then
		tap_script='profile-997 /pid == $target/ { @[ustack()] = count(); }'
		run "$DTR" -x engine=$engine -O folded -o "$work/folded" -qn "$tap_script" \
			-c "python3 -X perf $work/hot.py"
		tidy "$(sed -n 's/^pid \([0-9]*\)$/\1/p' "$work/out")"
		between "$(awk '/\[jit\]`py::hot_function/ { n += $NF } END { print n + 0 }' "$work/folded")" 50 1e9 \
			"$engine: python3 -X perf"
	else
		skip "$engine: python3 -X perf" 'python3 has no -X perf'
	fi
}

# A file of perf record: as many samples of each function as perf script finds.
by_perf() {
	perf record -q -F 997 -g -o "$work/p.data" -- "$jit" $MS map:one:a map:two:b none:-:c >"$work/said" \
		2>"$work/err"
	run "$DTR" -r "$work/p.data" -qn 'profile-997 /arg1/ { @[usym(arg1)] = count(); }'
	tap_want=$(perf script -i "$work/p.data" -G -F ip,sym 2>/dev/null | awk '/ jit (one|two) / { n[$3]++ }
		END { for (f in n) print f, n[f] }' | sort)
	tidy "$(awk '$1 == "pid" { print $2 }' "$work/said")"
	is "$(printf '%s\n' "$out" | awk '/\[jit\]`jit / { print $2, $NF }' | sort)" "$tap_want" \
		'perf.data: as many samples as in perf script'
	like "$tap_want" '^two [0-9]' 'perf.data: perf script finds the functions'
}

"$jit" 1 none:-:a >/dev/null 2>&1 || { echo '1..0 # SKIP code in anonymous memory cannot be executed here'; exit 0; }
as=
if [ "${DTR_OPT_ENGINE:-}" != user ] && "$here/tests/kernel/can_bpf" >/dev/null; then
	engine=bpf
	scenarios
	apart
	compilers
fi
engine=user
as=$here/tests/kernel/as_user
"$as" test -x "$DTR" || as=
run $as "$DTR" -x engine=user -qn 'profile-997 { exit(0); }' -c "$jit 50 none:-:a"
case $err in
*'no program counters'*) [ "$(id -u)" = 0 ] || { skip 'the rootless engine' 'no perf events'; done_testing; }
	as= ;;
esac
scenarios
as=
[ "$(id -u)" != 0 ] || apart
compilers
if command -v perf >/dev/null && perf record -q -F 997 -g -o "$work/p.data" -- true >/dev/null 2>&1; then
	by_perf
else
	skip 'perf.data' 'perf is not installed or cannot sample here'
fi
done_testing
