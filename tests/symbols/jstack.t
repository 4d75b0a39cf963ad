# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# jstack() in Python: interpreted.py reports the stacks it has; each must be shown, and no other one with spin.
. "$SRC/tests/lib/tap.sh"
# shellcheck disable=SC2086 # $as is a command of one or two words
:
python=/usr/bin/python3
as=$here/tests/kernel/as_user
[ -x "$python" ] && "$python" -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
	{ echo '1..0 # SKIP no Python 3.11 or later'; exit 0; }
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
"$as" test -x "$DTR" || { echo '1..0 # SKIP another user cannot read the build'; exit 0; }
run $as "$DTR" -x engine=user -qn 'profile-997 { exit(0); }' -c "/bin/true"
case $err in # if the kernel permits users no perf events, use root
*'no program counters'*) [ "$(id -u)" = 0 ] || { echo '1..0 # SKIP no perf events'; exit 0; }
	as="$as root" ;;
esac
chmod 755 "$work"
export PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8 PYTHONPATH=
cp "$SRC/tests/symbols/interpreted.py" "$work/interpreted.py"
printf '%s\n' 'class Other:' '    def call(self, f):' '' '        f()' 'def call(f):' '    Other().call(f)' \
	>"$work/other_file.py"
SCRIPT='profile-997 /pid == $target/ { @[jstack(127)] = count(); }'

# NAME: compares $out with the stacks that the program reports ("chain ..."). Only interpreted frames are compared; the
# line of spin itself varies. The rootless engine reads them after the sample, so each return from a spin can change
# one stack while it is read; the kernel engine is exact.
chains_are() { # NAME [exact]
	first=$(grep -n '^def spin' "$work/interpreted.py" | cut -d: -f1)
	printf '%s\n' "$out" | awk -v "first=$first" -v "exact=${2-}" '
		sub(/^chain /, "") { want[$0]; wanted++; next }
		!/(^|;)spin \(/ { next }
		{
			n = $NF
			sub(/ [0-9]+$/, "")
			raw += /_PyEval_EvalFrameDefault/
			count = split($0, part, ";")
			chain = ""
			for (i = 1; i <= count && part[i] !~ /^spin \(/; i++)
				if (part[i] ~ /\(.*:[0-9]+\)$/)
					chain = chain (chain == "" ? "" : ";") part[i]
			line = part[i]
			sub(/.*:/, "", line)
			if (line + 0 < first || line + 0 > first + 6) { bad++; print "bad line: " $0 }
			if (!(chain in want)) { bad++; print "bad: " $0 }
			seen[chain] += n
			good += n
		}
		END {
			for (chain in want)
				if (!seen[chain]) { missing++; print "not seen: " chain }
			print "samples", good + 0, "chains", wanted + 0, "bad", bad + 0, "with the loop", raw + 0
			exit !(wanted >= 20 && !missing && (exact ? !bad && !raw : bad <= wanted))
		}' >"$work/judged"
	ok $? "$1" "$(cat "$work/judged")" "$err"
}

run $as "$DTR" -x engine=user -x ledger=off -O folded -qn "$SCRIPT" -c \
	"$python $work/interpreted.py 120 $work"
chains_are 'the rootless engine shows every way in which Python calls Python'
like "$(printf '%s\n' "$out" | grep 'by_library.*spin (')" 'by_library [^;]*;[^;]*`.*qsort.*<lambda> \(' \
	'native frames are between the interpreted ones'
like "$(printf '%s\n' "$out" | grep -m1 'spin (')" '^[^;]*`_start;' 'the stack begins with native frames'

run $as "$DTR" -x engine=user -x ledger=off -O folded -qn \
	'profile-997 /pid == $target/ { @[ustack()] = count(); }' -c \
	"$python $work/interpreted.py 5 $work"
unlike "$(printf '%s\n' "$out" | grep -v ^chain)" 'spin' 'ustack() shows the interpreter'

# ---- the kernel engine ----
if [ "$(id -u)" = 0 ] && why=$("$here/tests/kernel/can_bpf"); then
	run "$DTR" -x engine=bpf -x ledger=off -O folded -qn "$SCRIPT" -c "$python $work/interpreted.py 120 $work"
	chains_are 'the kernel engine shows every way in which Python calls Python' exact
	run "$DTR" -x engine=bpf -x ledger=off -qn 'profile-997 /pid == $target/ { jstack(3); }' -c \
		"$python $work/interpreted.py 10 $work"
	like "$out" "^ {14}spin \($work/interpreted.py:[0-9]+\)
 {14}recursion \($work/interpreted.py:[0-9]+\)
 {14}recursion \($work/interpreted.py:[0-9]+\)" 'the kernel engine: records, after their process has ended'
	run "$DTR" -x engine=bpf -x ledger=off -O folded -qn \
		'syscall::write:entry /progenyof($target)/ { @[jstack(127)] = count(); }' -c \
		"unshare --pid --fork $python $work/interpreted.py 1 $work"
	# Python 3.13 calls the thread's function without a native call
	like "$out" ';Thread.run \([^;]*;([^;]*`[^;]*;)*(recursion \([^;]*;){3}spin \([^;]*;.*`' \
		'the kernel engine: at a system call, in another name space of process IDs'
	# the first stack is unwound in user space
	printf '%s\n' 'import os' 'def down(n):' '    list(map(down, [n - 1])) if n else os.getppid()' 'down(60)' \
		'down(60)' >"$work/deep.py"
	run "$DTR" -x engine=bpf -x ledger=off -O folded -qn 'syscall::getppid:entry /pid == $target/ {
		@[jstack(20)] = count(); }' -c "$python $work/deep.py"
	deep=$(printf '%s\n' "$out" |
		awk '{ n += $NF; print gsub(/;/, ";"), /^[[]truncated[]];/ } END { print n }' | sort -u | tr '\n' ' ')
	is "$deep" '2 20 1 ' 'the kernel engine: a stack that is too deep is truncated, and says so'
else
	skip 'the kernel engine' "${why:-not root}"
fi

# ---- recordings ----
engines=user
[ "$(id -u)" != 0 ] || ! "$here/tests/kernel/can_bpf" >/dev/null || engines='user bpf'
for engine in $engines; do
	exact=
	[ $engine = user ] || exact=exact
	run "$DTR" record -x engine=$engine -x ledger=off -q -g -F 997 -o "$work/rec" -c \
		"$python $work/interpreted.py 120 $work"
	chains=$out
	run "$DTR" -r "$work/rec" -O folded -qn 'profile-997 { @[jstack(127)] = count(); }'
	out="$chains
$out"
	chains_are "a recording of the $engine engine: every way in which Python calls Python" $exact
	run "$DTR" -r "$work/rec" -O folded -qn 'profile-997 { @[ustack()] = count(); }'
	unlike "$out" 'spin \(' "a recording of the $engine engine: ustack() shows the interpreter"
	like "$out" '^[^;]*`_start;.*PyEval_EvalCode;([^;]*`_PyEval_Vector;)?[^;]*`_PyEval_EvalFrameDefault' \
		"a recording of the $engine engine: ustack() has all native frames"
done

# ---- deep recursion ----
cat >"$work/deep.py" <<'END'
import time
def work():
    while time.process_time() < 0.5:
        for _ in range(10000):
            pass
def deep(n):
    return deep(n - 1) if n else work()
deep(400)
END
for engine in $engines; do
	run "$DTR" -x engine=$engine -x ledger=off -O folded -qn "$SCRIPT" -c "$python $work/deep.py"
	printf '%s\n' "$out" | awk '/work \(/ {
		calls = gsub(/deep \(/, "")
		if (/^\[truncated\];/ && calls > 60 && calls < 127)
			good++
		else {
			bad++
			print "bad:", calls, substr($0, 1, 80)
		}
	}
	END { print good + 0, "good", bad + 0, "bad"; exit !(good && !bad) }' >"$work/judged"
	ok $? "the $engine engine: more frames than are read: the stack is truncated and has no gap" \
		"$(cat "$work/judged")" "$err"
done

# ---- output ----
run $as "$DTR" -x engine=user -x ledger=off -qn 'profile-997 /pid == $target/ { jstack(3); }' -c \
	"$python $work/interpreted.py 10 $work"
like "$out" "^ {14}spin \($work/interpreted.py:[0-9]+\)
 {14}recursion \($work/interpreted.py:[0-9]+\)
 {14}recursion \($work/interpreted.py:[0-9]+\)" 'as text'
run $as "$DTR" -x engine=user -x ledger=off -O json -qn 'profile-997 /pid == $target/ { @[jstack(2)] = count(); }' -c \
	"$python $work/interpreted.py 10 $work"
like "$out" "\"symbol\":\"spin \($work/interpreted.py:[0-9]+\)\"" 'as JSON'

run "$DTR" -x engine=user -x ledger=off -O pprof -o "$work/out.pb.gz" -qn \
	'profile-997 /pid == $target/ { @[jstack()] = count(); }' -c "$python $work/interpreted.py 10 $work"
zcat "$work/out.pb.gz" | tr '\0-\37' '\n' | grep -a 'interpreted.py' >"$work/names"
like "$(cat "$work/names")" "^[^(:]*$work/interpreted.py[^:]*\$" 'pprof: the file is not part of the name of a function'
unlike "$(cat "$work/names")" ' \(' 'pprof: nor is the line'

# ---- other processes ----
run $as "$DTR" -x engine=user -x ledger=off -O folded -qn 'profile-997 /pid == $target/ { @[jstack()] = count(); }' -c \
	"$here/tests/symbols/unwound plain 100"
like "$out" 'main;.*outer;.*middle;.*inner;.*spin' 'a process without an interpreter: the same as ustack()'
done_testing
