# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# jstack() in Node: marks.js reports the stack at each of its system calls; each must be shown, frame by frame, and no
# other.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
[ "$(id -u)" = 0 ] || { echo '1..0 # SKIP not root'; exit 0; }
why=$("$here/tests/kernel/can_bpf") || { echo "1..0 # SKIP $why"; exit 0; }
node=$(command -v node) && version=$("$node" -p 'process.versions.v8') || { echo '1..0 # SKIP no node'; exit 0; }
case $version in 10.2.* | 11.3.*) ;; *) echo "1..0 # SKIP V8 $version"; exit 0 ;; esac

# $out: "chain NUMBER STACK" as the program reports it, "NUMBER;FRAME;... COUNT" as dtr shows it.
judge() {
	printf '%s\n' "$out" | awk '
		/^chain / { number = $2; sub(/^chain [0-9]+ /, ""); want[number] = $0; wanted++; next }
		/^[0-9]+;/ {
			sub(/ [0-9]+$/, "")
			count = split($0, part, ";")
			chain = ""
			for (i = 2; i <= count; i++)
				if (part[i] ~ /\(.*:[0-9]+\)$/ && part[i] !~ /^ftruncateSync \(node:fs:/)
					chain = chain (chain == "" ? "" : ";") part[i]
			shown[part[1]]++
			if (!(part[1] in want) || want[part[1]] != chain) {
				bad++
				print "bad: " substr($0, 1, 200) " ... " chain
			}
		}
		END {
			for (number in want)
				if (shown[number] != 1) {
					bad++
					print shown[number] + 0 " times: " substr(want[number], 1, 300)
				}
			print wanted + 0, "stacks,", bad + 0, "bad"
			exit !(wanted >= 400 && !bad)
		}' >"$work/judged"
}

# OPTIONS HOT NAME
marks() {
	rm -rf "$work/files"
	mkdir "$work/files"
	run "$DTR" -x ledger=off -x dynvarsize=16m -x aggsize=16m -O folded -qn \
		'syscall::ftruncate:entry /pid == $target && arg1 >= 1000/ { @[arg1, jstack(127)] = count(); }' \
		-c "$node $1 --expose-gc $SRC/tests/symbols/marks.js $work/files $2"
	judge
	ok $? "V8 $version: $3" "$(tail -n 6 "$work/judged")" "$err"
}
marks '--no-opt --no-sparkplug' 0 'interpreted functions: every frame, file and line'
marks '--no-opt --always-sparkplug' 0 'functions compiled at once: every frame, file and line'
marks '' 3000 'functions optimised, inlined, and interpreted again: every frame, file and line'

# ---- code that is gone ----
# dtr is stopped while functions are called that the collector then removes.
gone() { # OPTIONS NAME
	rm -f "$work/commands" "$work/gone" "$work/out" "$work/err"
	mkfifo "$work/commands"
	"$node" $1 --expose-gc "$SRC/tests/symbols/gone.js" "$work/gone.file" <"$work/commands" >"$work/gone" &
	target=$!
	exec 7>"$work/commands"
	"$DTR" -x ledger=off -O folded -qn '
		syscall::ftruncate:entry /pid == $1 && arg1 == 1000 && ustackdepth/ { printf("known\n"); }
		syscall::ftruncate:entry /pid == $1 && arg1 >= 2000/ { @[arg1, jstack()] = count(); }' \
		$target >"$work/out" 2>"$work/err" 7>&- &
	tracer=$!
	until grep -q known "$work/err" || ! kill -0 $tracer 2>/dev/null; do
		echo mark >&7
		sleep 0.2
	done
	kill -STOP $tracer
	echo go >&7
	wait_for gone "$work/gone"
	kill -CONT $tracer
	kill -INT $tracer
	wait $tracer
	exec 7>&-
	wait $target
	err=$(cat "$work/err" "$work/out")
	has=$(sed -n 's/ [0-9]*$//; s,([^(]*/gone,(gone,g; s/^\(2[0-9]*\);.*;made (gone.js:[0-9]*);/\1 /p' "$work/out" |
		sed 's/;mark (gone.js.*//' | sort)
	want='2000 <anonymous> (<anonymous>:5)
2001 <anonymous> (<anonymous>:2)
2002 <anonymous> (<anonymous>:8);inner (<anonymous>:5)'
	is "$has" "$want" "V8 $version: $2"
}
gone '--no-opt --no-sparkplug' 'interpreted functions that are gone before dtr reads about them have their lines'
gone '--no-opt --always-sparkplug' 'compiled functions that are gone before dtr reads about them have their lines'

# ---- samples ----
# Each share of the samples must be that of the CPU time: within six standard deviations.
shares() { # ENGINE OPTIONS NAME
	run "$DTR" -x engine=$1 -x ledger=off -O folded -qn \
		'profile-997 /pid == $target/ { @[jstack(127)] = count(); }' \
		-c "$node --single-threaded $2 $SRC/tests/symbols/shares.js 250"
	printf '%s\n' "$out" | awk '
		/^share / { used[$2] = $3; sum += $3; next }
		{
			for (name in used)
				if ($0 ~ "(^|;)" name " \\(.*shares[.]js:[0-9]+\\)") {
					seen[name] += $NF
					n += $NF
				}
		}
		END {
			for (name in used) {
				p = used[name] / sum
				off = seen[name] - n * p
				print name, seen[name] + 0, "of", n, "samples, expected", n * p
				bad += off * off > 36 * n * p * (1 - p) + 4
			}
			exit !(n > 100 && sum > 0 && !bad)
		}' >"$work/judged"
	ok $? "V8 $version: $3" "$(cat "$work/judged")" "$err"
}
for engine in bpf user; do
	shares $engine '' "$engine: functions have their shares of the samples"
	shares $engine --no-opt "$engine: the same without optimising"
done
done_testing
