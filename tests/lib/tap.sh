# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# TAP for shell tests. Use:
#	. "$SRC/tests/lib/tap.sh"
#	run dtr -e -n 'BEGIN'        # sets $status, $out, $err
#	is "$status" 0 'a clause compiles'
#	done_testing
# $DTR is the command under test; a test that traces calls need_kernel first.

# Tests send signals. A shell cannot restore those that its caller ignores (nohup, a job in the background), so such a
# test starts again.
case $(awk '$1 == "SigIgn:" { print $2 }' /proc/$$/status) in
*[!0]*) [ -n "${tap_again-}" ] || exec env --default-signal tap_again=1 sh "$0" "$@" ;;
esac
unset tap_again

DTR=${DTR:?the command under test}
here=$(dirname "$DTR")
tap_n=0
tap_failed=0
work=$(mktemp -d)
children=
export AS_USER=$$ # the user of tests/kernel/as_user

# Ends what the test started, by pid, and removes its folder. The pid of an ended process may have been reused.
tap_cleanup() {
	for tap_p in $children; do
		[ "$(awk '{ sub(/.*\) /, ""); print $2 }' "/proc/$tap_p/stat" 2>/dev/null)" != $$ ] ||
			kill -9 "$tap_p" 2>/dev/null
	done
	rm -rf "$work"
}
trap tap_cleanup EXIT
trap 'exit 1' INT TERM HUP

need_kernel() {
	[ "${DTR_OPT_ENGINE:-}" != user ] || return 0
	tap_why=$("$here/tests/kernel/can_bpf") || { echo "1..0 # SKIP $tap_why"; exit 0; }
}

# For features of the kernel engine only: true if it runs (not with DTR_OPT_ENGINE=user), otherwise prints the reason.
with_bpf() { # REASON
	[ "${DTR_OPT_ENGINE:-}" = user ] || return 0
	echo "# left out without BPF: $1"
	return 1
}

# What this machine can do, tried once.
breaks() { "$here/tests/kernel/can_bpf" breaks; } # do hardware breakpoints fire?
calls32() { "$here/tests/kernel/can_bpf" calls32; } # may programs make 32-bit calls?
types() { [ -r /sys/kernel/btf/vmlinux ]; } # does the kernel show its types?
need_types() { types || { echo '1..0 # SKIP this kernel offers no type information'; exit 0; }; }
# Open files and address space as by default? Some cases need hundreds of descriptors.
room() { [ "$(ulimit -n)" -ge 1024 ] && [ "$(ulimit -v)" = unlimited ]; }
need_room() { room || { echo '1..0 # SKIP open files or address space are limited'; exit 0; }; }
perf_events() { "$here/tests/kernel/can_bpf" perf; } # of processes of the same user
# May a command be held by ptrace(2)?
holds_commands() { "$here/tests/kernel/can_bpf" ptrace; }
need_ptrace() { holds_commands || { echo '1..0 # SKIP ptrace() is not permitted'; exit 0; }; }
initial_pids() { [ "$(stat -Lc %i /proc/self/ns/pid)" = 4026531836 ]; } # in the initial PID name space?
same_time() { ! grep -q '[1-9]' /proc/self/timens_offsets; } # not in a time name space whose clocks are others?
# if_can NAME PREDICATE...: true if all of them are; otherwise the case NAME is skipped.
if_can() {
	tap_case=$1
	shift
	for tap_p; do
		$tap_p && continue
		case $tap_p in
		types) skip "$tap_case" 'this kernel offers no type information' ;;
		initial_pids) skip "$tap_case" 'not in the initial PID name space' ;;
		perf_events) skip "$tap_case" 'perf events are not permitted' ;;
		room) skip "$tap_case" 'open files or address space are limited' ;;
		holds_commands) skip "$tap_case" 'ptrace() is not permitted' ;;
		same_time) skip "$tap_case" 'in a time name space' ;;
		*) skip "$tap_case" "not possible here: $tap_p" ;;
		esac
		return 1
	done
}
# For tests/kernel/known: it makes 32-bit calls unless they would end it.
known_calls() { calls32 || export KNOWN_64=1; }

ok() { # STATUS NAME [detail...]: passes if STATUS is 0
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		printf 'ok %s - %s\n' "$tap_n" "$2"
	else
		tap_failed=$((tap_failed + 1))
		printf 'not ok %s - %s\n' "$tap_n" "$2"
		shift 2
		printf '%s\n' "$@" | sed 's/^/# /'
	fi
}

skip() { # NAME WHY: not tested here
	tap_n=$((tap_n + 1))
	printf 'ok %s - %s # SKIP %s\n' "$tap_n" "$1" "$2"
}

any_of() { # COMMAND...: is one of them installed?
	for tap_c; do
		! command -v "$tap_c" >/dev/null || return 0
	done
	return 1
}

is() { # GOT WANT NAME
	if [ "$1" = "$2" ]; then ok 0 "$3"; else ok 1 "$3" "got:  $1" "want: $2" "stderr: $err"; fi
}

like() { # TEXT EXTENDED-REGEX NAME
	if printf '%s\n' "$1" | grep -Eq -- "$2"; then ok 0 "$3"; else ok 1 "$3" "no match for: $2" "in:" "$1" \
		"stderr: $err"; fi
}

same() { # GOT WANT NAME: like `is` for two measured values; two empty ones do not match
	if [ -n "$2" ]; then is "$@"; else ok 1 "$3" 'nothing to compare with' "got: $1" "stderr: $err"; fi
}

unlike() { # TEXT EXTENDED-REGEX NAME: the text is not empty, and nothing in it matches
	case $1 in
	'') ok 1 "$3" 'there is no text' "stderr: $err" ;;
	*) if printf '%s\n' "$1" | grep -Eq -- "$2"; then ok 1 "$3" "matches: $2" "in:" "$1"; else ok 0 "$3"; fi ;;
	esac
}

between() { # VALUE LOW HIGH NAME (numbers, fractions too)
	if awk "BEGIN { exit !(\"$1\" != \"\" && $1 + 0 >= $2 && $1 + 0 <= $3) }" 2>/dev/null; then
		ok 0 "$4"
	else
		ok 1 "$4" "got: $1, want: $2 .. $3" "stderr: $err"
	fi
}

# COMMAND...: sets $status $out $err; the time limit only ends commands that hang. $err lacks the warnings that firings
# were not delivered and that events of processes were lost, and the hint about code without names: they depend on the
# machine.
run() {
	timeout -k 5 300 "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	out=$(cat "$work/out")
	err=$(LC_ALL=C sed '/warning: .* of [0-9]* firings (.*) were not delivered/d
		/^dtr: [0-9]* process events were lost; some addresses may stay unresolved$/d
		/: hint: [0-9]* of [0-9]* samples are in code without names/d' "$work/err")
}

# The messages in $err without the warning that tables of user stacks were loaded too late for some samples: that
# depends on the machine; and without that about another test's file of a process with the same ID.
messages() { printf '%s\n' "$err" | grep -v -e 'user stacks lack frames' -e 'cannot read /tmp/perf-'; }

# FOLDER [SECTION]: makes it, with the cases of tests/golden/cases.txt as golden tests of their own.
golden_cases() {
	mkdir "$1" && chmod a+rx "$work" "$1" && "$here/tests/lib/casefiles" "$SRC/tests/golden/cases.txt" "$@"
}

# FILE.d COMMAND...: does the command print FILE.out, and as many faults as FILE.err has?
runs_as_golden() {
	tap_base=${1%.d}
	shift
	run "$@" -s "$tap_base.d" -c true
	tap_faults=0
	[ ! -f "$tap_base.err" ] || tap_faults=$(grep -c 'error on enabled probe' "$tap_base.err")
	cmp -s "$work/out" "$tap_base.out" &&
		[ "$(printf '%s\n' "$err" | grep -c 'error on enabled probe')" = "$tap_faults" ]
}

# SECTION: all of its cases in $DTR.
is_golden() {
	tap_wrong=
	golden_cases "$work/$1" "$1"
	for tap_d in "$work/$1"/*.d; do
		runs_as_golden "$tap_d" "$DTR" || tap_wrong="$tap_wrong ${tap_d##*/}"
	done
	is "$tap_wrong" '' "$1"
}

wait_until() { # COMMAND...: until it succeeds; at most two minutes, reached only by a hang
	tap_i=0
	until "$@" 2>/dev/null || [ $tap_i -ge 2400 ]; do
		sleep 0.05
		tap_i=$((tap_i + 1))
	done
}

# PID NAME: does the process execute this program of the current directory? A shell starts it after its redirections.
executes() { [ "$(readlink "/proc/$1/exe")" = "$PWD/$2" ]; }

# PID CENTISECONDS: has its own code run that long?
has_run() { [ "$(awk '{ sub(/.*\) /, ""); print $12 }' "/proc/$1/stat")" -ge "$2" ]; }

# Starts a shell that spins on CPU $1 and waits until it does; sets $spin to its pid.
spin_on() {
	taskset -c "$1" sh -c 'while :; do :; done' &
	spin=$!
	children="$children $spin"
	wait_until has_run "$spin" 5
}

wait_for() { # WORD FILE: until the file contains the word
	wait_until grep -q "$1" "$2"
}

holds() { # PID: its BPF programs and maps, one "program ID" or "map ID" per line
	cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print "program", $2 } $1 == "map_id:" {
		print "map", $2 }'
}

# FILE: output of `holds`. Prints those that still exist, as tests/kernel/leftovers shows them; ignores other sessions.
still_held() { "$here/tests/kernel/leftovers" | awk 'NR == FNR { held[$1, $2] = 1; next } ($1, $2) in held' "$1" -; }
nothing_held() { [ -z "$(still_held "$1")" ]; }

stop() { # PID: ends a child of this test
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

# The rest of the test is left out if only a part of it is wanted (tests/vm/run -p).
part_ends() { [ -z "${DTR_PART-}" ] || done_testing; }
in_part() { # WORD ALLOWED...: is the word one of a part? Always true if the whole test is wanted.
	[ -n "${DTR_PART-}" ] || return 0
	tap_word=$1
	shift
	for tap_w; do [ "$tap_w" != "$tap_word" ] || return 0; done
	return 1
}

done_testing() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
	exit
}
