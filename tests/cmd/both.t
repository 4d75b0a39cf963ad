# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs the shell tests of the kernel engine under the rootless engine: as an unprivileged user with and without perf
# events, and as root for what that user is not permitted to do. Each script is one check here; if it fails, its failed
# checks are shown. A script reports what it omits without BPF (with_bpf).
. "$SRC/tests/lib/tap.sh"
as=$here/tests/kernel/as_user
"$as" test -x "$DTR" && "$as" test -r "$SRC/share/prelude.d" ||
	{ echo '1..0 # SKIP another user cannot read the build'; exit 0; }
unset DTR_OPT_ENGINE

# NAME WHO SCRIPT...: runs the scripts one after the other
series() {
	name=$1 who=$2
	shift 2
	for script; do
		# shellcheck disable=SC2086
		DTR_OPT_ENGINE=user DTR_OPT_SYSLIBDIR=$SRC/share $who sh "$SRC/tests/cmd/$script.t" \
			>"$work/$name.$script" 2>&1
		echo $? >"$work/$name.$script.status"
	done
}

# NAME WHAT SCRIPT...: reports the results of the scripts
verdicts() {
	name=$1 what=$2
	shift 2
	for script; do
		got=$work/$name.$script
		if grep -q '^1\.\.0 # SKIP' "$got"; then
			ok 0 "$script, $what # SKIP $(sed -n 's/^1..0 # SKIP //p' "$got")"
		else
			ok "$(cat "$got.status")" "$script, $what: $(grep -c '^ok' "$got") checks" \
				"$(grep -A12 '^not ok' "$got")"
			sed -n 's/^# left out/# '"$script"': left out/p' "$got" | sort -u
		fi
	done
}

with='usage start empty session strings json memory stacks options published actions vars'
without='start empty session strings memory options actions'
# shellcheck disable=SC2086
series perf "$as" $with &
one=$!
# shellcheck disable=SC2086
series proc "$as noperf notrace" $without &
two=$!
# shellcheck disable=SC2086
series ptrace "$as noperf" $without published &
three=$!
children="$children $one $two $three"
wait $one
wait $two
wait $three
# shellcheck disable=SC2086
verdicts perf 'by perf events' $with
# shellcheck disable=SC2086
verdicts proc 'by /proc' $without
# shellcheck disable=SC2086
verdicts ptrace 'by ptrace(2)' $without published

# Golden scripts that need no events print the same in a real session, as any user.
golden() { # WHAT COMMAND...
	what=$1 n=0 wrong=
	shift
	for d in "$SRC"/tests/golden/*.d "$work"/cases/*.d; do
		base=${d%.d}
		[ ! -f "$base.args" ] && ! grep -q '[a-z]' "$base.ev" 2>/dev/null || continue
		runs_as_golden "$d" "$@" -x cpu=0 || wrong="$wrong ${base##*/}"
		n=$((n + 1))
	done
	is "$wrong" '' "$n golden scripts $what"
	between "$n" 350 10000 'enough golden scripts ran'
}
golden_cases "$work/cases"
if taskset -c 0 true 2>/dev/null; then
	golden 'in the rootless engine' "$as" "$DTR" -x engine=user -x "syslibdir=$SRC/share"
	! "$here/tests/kernel/can_bpf" >/dev/null || golden 'in the kernel engine' "$DTR" -x engine=bpf
fi

if [ "$(id -u)" = 0 ]; then
	series root '' vars
	verdicts root 'as root' vars
fi
done_testing
