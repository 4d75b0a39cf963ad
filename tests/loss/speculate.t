# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Speculations: one probe opens them and ends them, by chance with commit() or discard(), while all CPUs speculate into
# them.
. "$SRC/tests/loss/loss.sh"
busy
seconds=$((2 * times))

# A token names a speculation. It is taken away before that ends and set once the next one is open, so whoever reads the
# same one before and after speculate() has speculated into that one; the few who do not are counted under token 0.
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
is "$status" 0 'it ends'
is "$err" '' 'nothing is dropped'
wrong=$(awk '$1 == "R" { r[$2]++ } $1 == "M" { m[$2] = $3 } $1 == "V" { v[$2] = $3; e[$2] += $4 }
	END { for (t in m) if (t != 0 && r[t] + 0 != ((t in v) && !v[t] ? 0 : m[t])) print t, r[t] + 0, m[t], v[t];
	      for (t in r) if (!(t in m)) print t, "printed but not made"; for (t in e) if (e[t] != 1) print t,
	      "ended", e[t] }' "$work/out")
is "$wrong" '' 'every speculation is printed whole or not at all, as was said'
between "$(printed)" 1 $(($(column A 2) - 1)) 'some was printed, some was not'
between "$(column O 2)" $((seconds * 100)) 100000000 'speculations were used again and again'
echo "# $(column O 2) speculations, $(column A 2) records, $(printed) printed, $(column N 2) times none"

study 1 -x specsize=64
is "$status" 0 'it ends'
is "$(column A 2)" $(($(printed) + $(dropped 'speculative drop') + $(dropped drop))) \
	'all committed, small specsize: made = printed + dropped'
between "$(dropped 'speculative drop')" 1 100000000 'some were dropped'
is "$(failed '')" "$(column N 2)" 'each speculation() without a speculation is told'
echo "# $(column A 2) records, $(printed) printed, $(dropped 'speculative drop') dropped"

# More open than there are, and none ever ended.
run "$DTR" -x nspec=3 -x ledger=off -qn 'profile-997 { this->i = speculation(); } profile-997 /this->i == 0/ {
	@ = count(); }
	profile-997 /this->i/ { @y = count(); } tick-300ms { exit(0); } END { printa("%@d ", @y); printa("%@d\n", @); }'
is "${out%% *}" 3 'each is given out once'
is "$(failed 'no speculative buffer')" "${out##* }" 'and the others are counted'
done_testing
