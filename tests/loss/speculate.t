# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Speculations: one probe opens them and ends them, at random with commit() or discard(), while all CPUs speculate.
. "$SRC/tests/loss/loss.sh"
busy
seconds=$((2 * times))

# A token identifies a speculation. It is cleared before the speculation ends and set after the next one is open. So a
# firing that reads the same token before and after speculate() has used that speculation; the few others are counted
# under token 0.
study() { # COMMIT-CONDITION OPTION...
	when=$1
	shift
	run "$DTR" "$@" -x ledger=off -x bufsize=4m -x aggsize=16m -x nspec=4 -qn '
	int ids[int]; int64_t tok[int]; int64_t token;
	profile-1999 /cpu == 0/ { this->k = k++ % 4; this->id = ids[this->k];
	this->v = '"$when"'; this->t = tok[this->id]; tok[this->id] = 0; }
	profile-1999 /cpu == 0 && this->id && this->v/ { commit(this->id); }
	profile-1999 /cpu == 0 && this->id && !this->v/ { discard(this->id); }
	profile-1999 /cpu == 0 && this->id/ { @ended[this->t, this->v] = count(); }
	profile-1999 /cpu == 0/ { this->id = speculation(); ids[this->k] = this->id; }
	profile-1999 /cpu == 0 && !this->id/ { @none = count(); }
	profile-1999 /cpu == 0 && this->id/ { tok[this->id] = ++token; @opened = count(); }
	profile-4999 { this->s = ids[rand() % 4]; this->a = tok[this->s]; this->ok = 0; }
	profile-4999 /this->s && this->a/
	{
		speculate(this->s);
		this->b = tok[this->s];
		this->a = this->a == this->b ? this->a : 0;
		printf("R %d %d\n", this->a, cpu);
		this->ok = 1;
	}
	profile-4999 /this->ok/ { @made[this->a] = count(); @all = count(); }
	tick-'"$seconds"'s { exit(0); }
	END { commit(1); } END { commit(2); } END { commit(3); } END { commit(4); }
	END { printa("M %d %@d\n", @made); printa("V %d %d %@d\n", @ended); printa("A %@d\n", @all);
	printa("O %@d\n", @opened);
		printa("N %@d\n", @none); }'
}
failed() { sed -n "s/^dtr: \([0-9]*\) failed speculations\{0,1\} (.*$1.*/\1/p" "$work/err" | awk '{ n += $1 } END {
	print n + 0 }'; }
printed() { grep -c '^R' "$work/out"; }

study 'rand() % 2'
is "$status" 0 'random commit() and discard(): dtr exits with 0'
is "$err" '' 'random commit() and discard(): no drops'
wrong=$(awk '$1 == "R" { r[$2]++ } $1 == "M" { m[$2] = $3 } $1 == "V" { v[$2] = $3; e[$2] += $4 }
	END { for (t in m) if (t != 0 && r[t] + 0 != ((t in v) && !v[t] ? 0 : m[t])) print t, r[t] + 0, m[t], v[t];
	      for (t in r) if (!(t in m)) print t, "printed but not made"; for (t in e) if (e[t] != 1) print t,
	      "ended", e[t] }' "$work/out")
is "$wrong" '' 'a committed speculation is printed completely, a discarded one not at all'
between "$(printed)" 1 $(($(column A 2) - 1)) 'some records were printed, some were not'
between "$(column O 2)" $((seconds * 100)) 100000000 'speculations were reused many times'
echo "# $(column O 2) speculations, $(column A 2) records, $(printed) printed, $(column N 2) times none"

study 1 -x specsize=64
is "$status" 0 'all committed, small specsize: dtr exits with 0'
is "$(column A 2)" $(($(printed) + $(dropped 'speculative drop') + $(dropped drop))) \
	'all committed, small specsize: made = printed + dropped'
between "$(dropped 'speculative drop')" 1 100000000 'all committed, small specsize: there were drops'
is "$(failed '')" "$(column N 2)" 'each failed speculation() is reported'
echo "# $(column A 2) records, $(printed) printed, $(dropped 'speculative drop') dropped"

# More calls of speculation() than nspec, none of which ends.
run "$DTR" -x nspec=3 -x ledger=off -qn 'profile-997 { this->i = speculation(); } profile-997 /this->i == 0/ {
	@ = count(); }
	profile-997 /this->i/ { @y = count(); } tick-300ms { exit(0); } END { printa("%@d ", @y); printa("%@d\n", @); }'
is "${out%% *}" 3 'nspec speculations are opened'
is "$(failed 'no speculative buffer')" "${out##* }" 'the failed calls are counted'
done_testing
