# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Addresses whose code changes: every sample has the symbol that was valid at its time. The thread name shows which code
# ran, since the programs change both together. So the result does not depend on chance: no sample may have a symbol of
# another phase. Tested live in both engines, in recordings, in perf.data files, as keys and in records.
. "$SRC/tests/lib/tap.sh"
# shellcheck disable=SC2086 # $as is empty or a command of one or two words
:
dir=$here/tests/symbols
alpha=$dir/plugin-alpha.so:alpha_leaf
beta=$dir/plugin-beta.so:beta_leaf
MS=250
as_user=$here/tests/kernel/as_user
chmod 755 "$work"
mkdir -m 777 "$work/open"
rec=$work/open/rec

skip() { # NAME WHY
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# ---- the script and its expected result ----
comms='phase0 phase1 phase2 phase3 stage-one stage-two stage-three stage-pie-one stage-pie-two'
where=$(for c in $comms; do printf '|| execname == "%s" ' "$c"; done)
where="/arg1 && (${where#|| })/"
keys='@s[execname, usym(arg1)] = count(); @f[execname, ufunc(arg1)] = count(); @m[execname, umod(arg1)] = count();
	@a[execname, uaddr(arg1)] = count(); @k[execname, ustack()] = count(); @i[execname, ustackof(ustackid())] = '\
'count();
	@u[usym(arg1)] = count(); @n[execname] = count();'
script="profile-997 $where { $keys
	printf(\"r %s %A\nr %s %A\nq %s %A\n\", execname, usym(arg1), execname, uaddr(arg1), execname, umod(arg1)); }
	END { printa(\"s %s %A %@d\n\", @s); printa(\"f %s %A %@d\n\", @f); printa(\"m %s %A %@d\n\", @m);
	printa(\"a %s %A %@d\n\", @a);
	printa(\"k %s %k %@d\n\", @k); printa(\"i %s %k %@d\n\", @i); printa(\"u all %A %@d\n\", @u);
	printa(\"n %s %@d\n\", @n); }"

# Prints one row per line: the frames of a stack one after the other, the innermost first.
flat() { # FILE
	awk '/^[ki] [^ ]+ $/ { head = $1 " " $2; next }
		head != "" && /^ *[0-9]+$/ { print head, stack, $1; head = stack = ""; next }
		head != "" { stack = stack (stack == "" ? "" : ";") $1; next }
		/^[a-z] / { print }' "$1"
}

# NAME "COMM=WORD ...": the samples of each phase must have the word of that phase in their symbols and no other word;
# at least ten of each, in every aggregation and in the records. A phase of "anon" has no word. Equal texts must be one
# row.
judge() {
	flat "$work/out" >"$work/flat"
	awk -v want="$2" -v addr="$(awk '$1 == "at" { print $2; exit }' "$work/said")" '
		BEGIN {
			n = split(want, w, " ")
			for (i = 1; i <= n; i++) { split(w[i], kv, "="); expect[kv[1]] = kv[2]; words[kv[2]] }
			page = substr(addr, 1, length(addr) - 3)
		}
		$1 == "n" { total[$2] = $3; next }
		$1 == "u" { for (x in words) if (x != "anon" && index($3, x) && row[$1, $3]++) bad("two rows: " $0);
		next }
		{
			name = $3
			count = $1 == "r" || $1 == "q" ? 1 : $NF
			for (x in words) {
				if (x == "anon" || !index(name, x)) continue
				if ($1 != "r" && $1 != "q" && row[$1, $2, name]++) bad("two rows: " $0)
				if (!($2 in expect) || expect[$2] != x) bad($0)
			}
			inner = name
			sub(/;.*/, "", inner)
			if ($2 in expect) if (expect[$2] == "anon" ? index(inner, page) == 1 : index(inner,
			expect[$2])) good[$1, $2] += count
		}
		function bad(s) { if (failed++ < 5) print "wrong: " s }
		END {
			for (c in expect) for (i = 1; i <= split("s f m a k i r q", k, " "); i++) {
				if (expect[c] == "anon" && (k[i] == "m" || k[i] == "q")) continue
				if (good[k[i], c] < 10) bad("only " good[k[i],
				c] + 0 " of " c " in " k[i] " (" total[c] + 0 " samples)")
			}
			exit failed > 0
		}' "$work/flat" >"$work/judged" && [ -s "$work/flat" ]
	ok $? "$1" "$(cat "$work/judged")" "status $status" "$err" "$(sort "$work/flat" | uniq -c | sort -rn |
		grep -v ' [rq] ' | head -n 60)"
}

# All phases must have their code at the same address; otherwise the test proves nothing.
one_address() {
	is "$(awk '$1 == "at"' "$work/said" | sort -u | wc -l)" 1 "$1: the code was always at the same address"
}

# ---- ways to sample ----
# NAME WANT COMMAND...: live, with the privileges of $as and engine $engine
live() {
	tap_name=$1 tap_want=$2
	shift 2
	printf '#!/bin/sh\nexec %s >"%s"\n' "$*" "$work/said" >"$work/command"
	chmod 755 "$work/command"
	: >"$work/said"
	chmod 666 "$work/said"
	run $as "$DTR" -x engine=$engine -x ledger=off -x aggsize=16m -x bufsize=16m -qn "$script" -c "$work/command"
	judge "$tap_name" "$tap_want"
}

# NAME WANT COMMAND...: recorded, then queried
recorded() {
	tap_name=$1 tap_want=$2
	shift 2
	: >"$work/said"
	rm -f "$rec"
	run $as "$DTR" record -x engine=$engine -F 997 -g -c "$work/command" -o "$rec"
	tap_told=$err
	run "$DTR" -r "$rec" -x aggsize=16m -qn "$script"
	err="$err $tap_told"
	judge "$tap_name" "$tap_want"
}

# NAME WANT COMMAND...: a perf.data file; the number of samples of each function must be that of perf script.
by_perf() {
	tap_name=$1 tap_want=$2
	shift 2
	$as perf record -q -F 997 -g -o "$work/p.data" -- "$@" >"$work/said" 2>"$work/err"
	run "$DTR" -r "$work/p.data" -x aggsize=16m -qn "$script"
	judge "$tap_name, perf.data" "$tap_want"
	is "$(awk '$1 == "s" { sub(/.*`/, "", $3); print $2, $3, $4 }' "$work/flat" |
		grep -E ' (alpha_leaf|beta_leaf|loop_[a-z]*) ' | sort)" \
		"$(perf script -i "$work/p.data" -G -F comm,ip,sym 2>/dev/null |
		awk '$3 ~ /^(alpha_leaf|beta_leaf|loop_[a-z]*)$/ { n[$1 " " $3]++ }
			END { for (f in n) print f, n[f] }' | sort)" \
				"$tap_name, perf.data: as many samples as in perf script"
}

# Pictures and saved aggregations, for the scenario with most phases.
shown() { # WHO
	tap_script='profile-997 /pid == $target && arg1/ { @[execname, usym(arg1), ustack()] = count(); }'
	printf '#!/bin/sh\nexec %s\n' "$dir/remap $MS map:$alpha map:$beta map:$alpha map:$beta" >"$work/command"
	run $as "$DTR" -x engine=$engine -x ledger=off -x aggsave="$work/open/saved" -O folded -o "$work/open/folded" \
		-qn "$tap_script" -c "$work/command"
	run "$DTR" merge -O folded "$work/open/saved"
	for tap_what in folded out; do
		[ $tap_what = out ] || mv "$work/open/folded" "$work/folded"
		awk '{ n = split($0, path, ";"); want = path[1] ~ /[02]$/ ? "alpha" : "beta"; rest = $0;
			sub(/^[^;]*;/, "", rest) }
			path[1] ~ /^phase/ && /_leaf/ { count[path[1]] += $NF; if (path[2] !~ want ||
			path[n] !~ want || rest ~ (want == "beta" ? "alpha" : "beta")) bad = bad "\n" $0 }
			END { for (i = 0; i < 4;
			i++) if (count["phase" i] < 10) bad = bad "\nphase" i ": " count["phase" i]; if (bad != "") {
			print bad; exit 1 } }' \
			"$work/$tap_what" >"$work/judged"
		ok $? "$1: $tap_what" "$(cat "$work/judged")" "$err"
	done
	rm -f "$work/open/saved"
}

both_ways() { # SCENARIO WANT COMMAND...
	live "$@"
	tap_scenario=$1
	case $* in *exec:*) ;; *remap*) one_address "$tap_scenario" ;; esac
	shift
	recorded "$tap_scenario, recorded" "$@"
}

# ---- scenarios ----
scenarios() { # WHO
	both_ways "$1: a plugin replaces another at its address" 'phase0=alpha phase1=beta' "$dir/remap" $MS \
		"lib:$alpha" "lib:$beta"
	both_ways "$1: a file mapped over another" 'phase0=alpha phase1=beta phase2=alpha phase3=anon' \
		"$dir/remap" $MS "map:$alpha" "map:$beta" "map:$alpha" anon
	both_ways "$1: anonymous code where a plugin was" 'phase0=alpha phase1=anon phase2=beta phase3=anon' \
		"$dir/remap" $MS "lib:$alpha" anon "lib:$beta" jit
	both_ways "$1: programs with the same addresses that execute each other" \
		'stage-one=stage-one stage-two=stage-two stage-three=stage-three' \
		"$dir/stage-one" $MS "$dir/stage-two" "$dir/stage-three"
	both_ways "$1: position-independent programs at fixed addresses" 'stage-pie-one=pie-one stage-pie-two=pie-two' \
		setarch -R "$dir/stage-pie-one" $MS "$dir/stage-pie-two"
}

# The child of each phase has the process ID of the previous one.
reused() { # WHO
	both_ways "$1: a reused process ID" 'phase0=alpha phase1=beta' "$dir/remap" $MS "fork:lib:$alpha" \
		"fork:lib:$beta"
	both_ways "$1: a process ID reused by another program" 'stage-one=stage-one stage-two=stage-two' \
		"$dir/remap" $MS "exec:$dir/stage-one:$MS" "exec:$dir/stage-two:$MS"
}

as=
if [ "${DTR_OPT_ENGINE:-}" != user ] && "$here/tests/kernel/can_bpf" >/dev/null; then
	engine=bpf
	scenarios 'kernel engine'
	reused 'kernel engine'
	as='unshare --pid --fork --mount-proc --kill-child'
	if $as true 2>/dev/null; then reused 'kernel engine, PID name space'
	else skip 'kernel engine, PID name space' 'not permitted'; fi
	as=
	shown 'kernel engine, picture and saved aggregations'
fi
engine=user
as=$as_user
"$as" test -x "$DTR" || as=
run $as "$DTR" -x engine=user -qn 'profile-997 { exit(0); }' -c "$dir/remap 50 lib:$alpha"
case $err in
*'no program counters'*) [ "$(id -u)" = 0 ] || { skip 'the rootless engine' 'no perf events'; done_testing; }
	as= ;;
esac
scenarios 'rootless'
as='unshare --user --map-root-user --pid --fork --mount-proc --kill-child'
run $as "$DTR" -x engine=user -qn 'profile-997 { exit(0); }' -c "$dir/remap 50 lib:$alpha"
case $err in # only the real root can use perf events
*'no program counters'*) as='unshare --pid --fork --mount-proc --kill-child' ;;
esac
if $as true 2>/dev/null; then reused 'rootless, PID name space'
else skip 'rootless, PID name space' 'not permitted'; fi
as=
shown 'rootless, picture and saved aggregations'

if command -v perf >/dev/null && perf record -q -F 997 -g -o "$work/p.data" -- true >/dev/null 2>&1; then
	by_perf 'a plugin replaces another' 'phase0=alpha phase1=beta' "$dir/remap" $MS "lib:$alpha" "lib:$beta"
	by_perf 'a file mapped over another' 'phase0=alpha phase1=beta phase2=alpha phase3=anon' "$dir/remap" $MS \
		"map:$alpha" "map:$beta" "map:$alpha" jit
	by_perf 'programs with the same addresses' 'stage-one=stage-one stage-two=stage-two stage-three=stage-three' \
		"$dir/stage-one" $MS "$dir/stage-two" "$dir/stage-three"
	if [ "$(id -u)" = 0 ]; then
		as='unshare --pid --fork --mount-proc --kill-child'
		by_perf 'a reused process ID' 'phase0=alpha phase1=beta' "$dir/remap" $MS "fork:lib:$alpha" \
			"fork:lib:$beta"
	fi
else
	skip 'perf.data' 'perf is not installed or cannot sample here'
fi
done_testing
