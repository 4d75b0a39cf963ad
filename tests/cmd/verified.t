# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How much the kernel's verifier has to check before a tool begins: most of the time until then. The limits are half of
# what it was when states that differ in nothing that matters were checked one by one.
. "$SRC/tests/lib/tap.sh"
need_kernel
with_bpf 'programs are the kernel engine'"'"'s' || done_testing
kernel_is() { [ "$(printf '%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]; }
kernel_is 6.18 || { echo '1..0 # SKIP the limits are those of Linux 6.18'; exit 0; }

# verified TOOL LIMIT [OPTION...]
verified() {
	limit=$2
	name=$1
	shift 2
	"$DTR" ${name:+"$name"} "$@" -c 'sleep 100' >/dev/null 2>"$work/err" &
	tool=$!
	children="$children $tool"
	# the command runs, not held any more
	runs() {
		for child in $(cat /proc/$tool/task/$tool/children); do
			grep -qs '(sleep) S' "/proc/$child/stat" && return 0
		done
		return 1
	}
	wait_until runs
	n=$(awk '$1 == "verified_insns:" { n += $2 } END { print n + 0 }' /proc/$tool/fdinfo/* 2>/dev/null)
	kill -INT $tool
	wait $tool
	between "$n" 100 "$limit" "instructions that the verifier checks for dtr ${name:-$*}"
}

verified trace 40000
verified biosnoop 60000
verified tcplife 30000
verified offcpu 30000
# walkers of run-time systems are loaded when there is such a process
verified '' 30000 -qn 'profile-7 { @[jstack()] = count(); }'
done_testing
