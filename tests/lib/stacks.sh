# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of user stacks, after tap.sh.

# expected_awk: functions for awk. chain_regex(CHAIN, ROOT, LEAF) turns a line of tests/stacks/chain.h into a regular
# expression for "frame;frame;...;". ROOT: of what calls its first function; LEAF: of what its last function calls.
# gcc names parts of functions main.cold, main.part.0 and the like.
expected_awk='
	function escape(s) {
		gsub(/[][().*+?^$|{}~\\]/, "\\\\&", s)
		return s "([.](cold|part|isra|constprop|[0-9]+))*;"
	}
	function chain_regex(chain, root, leaf, part, n, i, r) {
		n = split(chain, part, ";")
		for (i = 1; i <= n; i++)
			r = r (part[i] == "*" ? "[^;]*;" : part[i] == "**" ? "([^;]*;)*" : \
				part[i] ~ /^[?]/ ? "(" escape(substr(part[i], 2)) ")?" : escape(part[i]))
		return "^" root r leaf "$"
	}
	# The rest of a complete stack: main is called by the C library, which _start calls; thread by two functions.
	function complete(chain) {
		return chain ~ /^thread/ ? "[^;]*;[^;]*;" : "(_start|0x[0-9a-f]*);([^;]*;)?([^;]*;)?([^;]*;)?"
	}
	function shorten(s) { return length(s) > 300 ? substr(s, 1, 300) "..." : s }
'

# stops_match CHAINS STACKS WHOLE: each line "N CHAIN" of the first file has a line "N FRAME;FRAME;..." in the second
# one that is the same stack. WHOLE: 1 if it must reach the first function of the process or thread.
stops_match() {
	awk -v whole="$3" "$expected_awk"'
		NR == FNR { if ($1 ~ /^[0-9]+$/ && NF == 2) { chain[$1] = $2; n++ } next }
		{ n_got[$1]++; got[$1] = $2 }
		END {
			for (k in chain) {
				root = whole ? complete(chain[k]) : "([^;]*;)*"
				regex = chain_regex(chain[k], root, "([^;]*;)?([^;]*;)?")
				if (n_got[k] == 1 && got[k] ";" ~ regex) continue
				bad++
				print k ": " shorten(chain[k]) "\n   got " n_got[k] + 0 ": " shorten(got[k])
			}
			print n + 0, "stops,", bad + 0, "wrong"
			exit !n || bad
		}' "$1" "$2"
}

# samples_match CHAINS STACKS WHOLE: every stack "FRAME;FRAME;... COUNT" in which the function stop occurs is one of the
# chains, and each chain occurs.
samples_match() {
	awk -v whole="$3" "$expected_awk"'
		NR == FNR {
			if ($1 ~ /^[0-9]+$/ && NF == 2) {
				regex[$2] = chain_regex($2, whole ? complete($2) : "([^;]*;)*", "([^;]*;)*")
				n++
			}
			next
		}
		{
			count = $NF
			sub(/ [0-9]+$/, "")
			if ($0 !~ /(^|;)stop(;|$)/) next
			all += count
			good = 0
			for (c in regex) if ($0 ";" ~ regex[c]) { seen[c] += count; good = 1 }
			if (!good) { bad += count; if (bad < 5) print "wrong: " shorten($0) }
		}
		END {
			for (c in regex) if (!seen[c]) { lacking++; print "no sample: " shorten(c) }
			print all + 0, "samples,", bad + 0, "wrong"
			exit !n || bad || lacking
		}' "$1" "$2"
}

# same_frames STACK-FILE PID: are the frames of the file, one address per line, innermost first, those that libdw or gdb
# finds in the process, which must be blocked?
same_frames() {
	if command -v eu-stack >/dev/null; then
		eu-stack -p "$2" 2>/dev/null
	else
		# without debugging information of libraries, which adds inlined frames
		gdb -batch -nx -iex 'set debuginfod enabled off' -iex 'set debug-file-directory /nonexistent' \
			-ex 'set backtrace past-main on' -ex 'bt' -p "$2" \
			2>/dev/null | sed 's/^\(#[0-9]* *\)\([^0 ][^ ]*\)/\1\2/'
	fi | awk '$1 ~ /^#[0-9]+$/ { sub(/^0x0*/, "", $2); print $2 }' >"$1.debugger"
	sed 's/^0x0*//' "$1" >"$1.dtr"
	# gdb shows no address of the code that returns from a signal handler
	[ -s "$1.debugger" ] && paste "$1.dtr" "$1.debugger" | awk -F '\t' '
		$1 == "" || ($1 != $2 && $2 != "<signal") { wrong = 1 } END { exit wrong }'
}
