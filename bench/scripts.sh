# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For bench/run: `scripts`, the cost of stacks with functions of scripts, and of finding their interpreters.

# The cost of a firing of a clause at getppid() in ns, of a process that is stopped otherwise: NAME PID CLAUSE
scripts_round() {
	kill -CONT "$2"
	"$build/dtr" -x cost -x ledger=off -o "$tmp/stacks.$1" -p "$2" \
		-qn "syscall::getppid:entry /pid == \$target/ { $3 } tick-${MS:-500}ms { exit(0); }" 2>&1 |
		awk -v name="$1" '$1 == "entry" { print name "|" $3 }' >>"$tmp/costs"
	kill -STOP "$2"
}

# Functions and native frames of the stack that was shown last.
scripts_depth() { # NAME
	awk '/^$/ { n = 0 } /^ +[^ ].*[`(]/ { n++; depth = n } END { print depth + 0 }' "$tmp/stacks.$1"
}

# Python's 20 functions, and a native stack of the same depth.
scripts_cost() {
	python3=/usr/bin/python3
	"$python3" "$dir/frames.py" 20 &
	script=$!
	sleep 0.5
	scripts_round jstack $script '@[jstack(127)] = count();'
	depth=$(scripts_depth jstack)
	"$build/bench/frames-tables" $((depth - 4)) - &
	native=$!
	kill -STOP $native $script
	rm -f "$tmp/costs" "$tmp"/stacks.*
	for _ in $(seq "${ROUNDS:-7}"); do
		scripts_round none $native '@ = count();'
		scripts_round native_jstack $native '@[jstack(127)] = count();'
		scripts_round ustack $script '@[ustack(127)] = count();'
		scripts_round native $native '@[ustack(127)] = count();'
		scripts_round jstack $script '@[jstack(127)] = count();'
	done
	kill -KILL $native $script
	wait $native $script 2>/dev/null || true
	awk -F'|' -v c="$(scripts_depth native)" -v u="$(scripts_depth ustack)" -v j="$(scripts_depth jstack)" '
		function middle(v, n,   i, k, t) {
			for (i = 2; i <= n; i++)
				for (k = i; k > 1 && v[k] < v[k - 1]; k--) { t = v[k]; v[k] = v[k - 1]; v[k - 1] = t }
			return v[int((n + 1) / 2)]
		}
		function row(title, frames, v) { printf "%-44s %8d %8.0f\n", title, frames, middle(v, n) }
		$1 == "none" { none = $2; n++ }
		$1 == "native" { native[n] = $2 - none }
		$1 == "native_jstack" { native_jstack[n] = $2 - none }
		$1 == "ustack" { ustack[n] = $2 - none }
		$1 == "jstack" { jstack[n] = $2 - none; ratio[n] = jstack[n] / native[n] }
		END {
			printf "%-44s %8s %8s\n", "net ns of one stack, medians", "frames", "ns"
			row("ustack(), native", c, native)
			row("jstack(), native", c, native_jstack)
			row("ustack(), Python", u, ustack)
			row("jstack(), Python", j, jstack)
			r = middle(ratio, n)
			printf "%-44s %17.2f  (goal 1.50: %s)\n", "jstack(), Python / ustack(), native, in turns", r,
				(r > 1.5 ? "missed" : "met")
		}' "$tmp/costs"
}

# Of processes with an interpreter, and of one without.
scripts_found() {
	echo 'Finding the interpreters of a process (goal: below 5 ms):'
	for interpreter in 'python3 -c "import time; time.sleep(60)"' 'node -e "setTimeout(function () {}, 60000)"' \
		'sleep 60'; do
		have "${interpreter%% *}" || continue
		eval "$interpreter &"
		sleep 1
		printf '%-10s ' "${interpreter%% *}"
		"$build/bench/runtimes" $! "${ROUNDS:-21}"
		kill -KILL $!
	done
}
