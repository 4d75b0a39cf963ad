# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# jstack() in samples: functions with known shares of CPU time (shares.py) must have these shares of the samples. By
# Chernoff's bound, chance alone makes n times the relative entropy exceed 23 with a probability of at most 2 e^-23: any
# of 150 shares, twice in 100 million runs.
# long: about ten seconds for each interpreter
# silent: 300 s: one line for each interpreter
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
need_kernel
export PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8 PYTHONPATH= PYTHONWARNINGS=ignore

# $out: "truth WAY PART NANOSECONDS", and "FRAME;FRAME... COUNT". Samples count in functions that burn() was called by.
judge() {
	printf '%s\n' "$out" | awk '
		function name(frame) { sub(/ .*/, "", frame); sub(/.*\./, "", frame); return frame }
		/^truth / { truth[$2, $3] += $4; time[$2] += $4; ways[$2]; next }
		/;burn \(/ {
			if (/_PyEval_EvalFrameDefault/) { bad++; print "loop: " $0 }
			n = $NF
			sub(/ [0-9]+$/, "")
			count = split($0, frame, ";")
			way = part = last = ""
			for (i = 1; i <= count; i++) {
				if (frame[i] !~ /\(.*:[0-9]+\)$/)
					continue
				f = name(frame[i])
				# nested functions: "coroutines.<locals>.b"
				outer = frame[i]
				sub(/[. ].*/, "", outer)
				if (outer in ways)
					way = outer
				if (f ~ /^[abc]$/ && part != f) {
					if (part != "") { bad++; print "two parts: " $0 }
					part = f
					# the module has the name of its function
					if (way == "modules" && !index(frame[i], "/module_" f))
						bad += n
				} else if (f == "burn")
					break
			}
			if (way == "" || part == "") { bad += n; print "no way or part: " $0 }
			seen[way, part] += n
			all[way] += n
		}
		END {
			for (way in ways) {
				print way, all[way] + 0, "samples"
				if (all[way] < 50) { bad++; print "too few" }
				for (i = 1; i <= 3; i++) {
					part = substr("abc", i, 1)
					p = truth[way, part] / time[way]
					q = all[way] ? seen[way, part] / all[way] : 0
					s = q > 0 ? q * log(q / p) : 0
					s += q < 1 ? (1 - q) * log((1 - q) / (1 - p)) : 0
					s *= all[way]
					printf "%s %s: share %.4f, samples %.4f, surprise %.1f\n", way, part, p, q, s
					if (s > 23) { bad++; print "wrong" }
				}
				nways++
			}
			exit bad || nways != 10
		}' >"$work/judged"
}

pythons=$("$SRC/tests/symbols/pythons")
[ "$pythons" ] || { echo '1..0 # SKIP no Python 3.11 or later'; exit 0; }
for python in $pythons; do
	version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
	mkdir "$work/modules"
	run "$DTR" -x ledger=off -x aggsize=16m -O folded -qn \
		'profile-997 /progenyof($target)/ { @[jstack(127)] = count(); }' \
		-c "$python $SRC/tests/symbols/shares.py 400 $work/modules"
	rm -r "$work/modules"
	judge
	ok $? "Python $version: shares of CPU time" "$(cut -c1-300 "$work/judged" | head -40)" "$err"
done
done_testing
