# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# jstack() at system calls: marks.py reports the stack of each call; each must be shown, frame by frame, and no other.
# With every interpreter that this machine has.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
[ "$(id -u)" = 0 ] || { echo '1..0 # SKIP not root'; exit 0; }
why=$("$here/tests/kernel/can_bpf") || { echo "1..0 # SKIP $why"; exit 0; }

pythons=$("$SRC/tests/symbols/pythons")
[ "$pythons" ] || { echo '1..0 # SKIP no Python 3.11 or later'; exit 0; }
export PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8 PYTHONPATH= PYTHONWARNINGS=ignore

# $out: "chain NUMBER STACK" as the program reports it, "NUMBER;FRAME;... COUNT" as dtr shows it.
judge() {
	printf '%s\n' "$out" | awk '
		/^chain / { number = $2; sub(/^chain [0-9]+ /, ""); want[number] = $0; wanted++; next }
		/^[0-9]+;/ {
			sub(/ [0-9]+$/, "")
			count = split($0, part, ";")
			chain = ""
			for (i = 2; i <= count; i++)
				if (part[i] ~ /\(.*:[0-9]+\)$/)
					chain = chain (chain == "" ? "" : ";") part[i]
			shown[part[1]]++
			if (!(part[1] in want) || want[part[1]] != chain) { bad++; print "bad: " $0 }
		}
		END {
			for (number in want)
				if (shown[number] != 1) { bad++; print shown[number] + 0 " times: " want[number] }
			print wanted + 0, "stacks,", bad + 0, "bad"
			exit !(wanted >= 250 && !bad)
		}' >"$work/judged"
}

for python in $pythons; do
	version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
	mkdir "$work/modules"
	run "$DTR" -x ledger=off -x aggsize=4m -O folded -qn \
		'syscall::lseek:entry /progenyof($target) && arg0 == 99/ { @[arg1, jstack(127)] = count(); }' \
		-c "$python $SRC/tests/symbols/marks.py $work/modules"
	rm -r "$work/modules"
	judge
	ok $? "Python $version: every stack at a system call" "$(tail -n 20 "$work/judged")" "$err"
done
done_testing
