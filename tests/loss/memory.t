# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# No memory for new keys: dtr runs in its own memory cgroup, whose limit is lowered to the used memory when its probes
# are enabled. Then inserts in the kernel fail; allocations and writes of dtr itself wait for memory (oom_control).
. "$SRC/tests/loss/loss.sh"

group=$(mktemp -d /sys/fs/cgroup/memory/dtr-test.XXXXXX 2>/dev/null)
[ -n "$group" ] && [ -f "$group/memory.oom_control" ] || {
	rmdir "$group" 2>/dev/null
	echo '1..0 # SKIP cannot create a memory cgroup (version 1)'
	exit 0
}
trap 'tap_cleanup; sleep 0.1; rmdir "$group"' EXIT
busy
cat >"$work/in_group" <<'END'
#!/bin/sh
echo $$ >"$GROUP/cgroup.procs" && exec "$REAL" "$@"
END
chmod +x "$work/in_group"
export REAL="$DTR" GROUP="$group"
DTR=$work/in_group

# starve SCRIPT: runs the script with memory, then without, then with memory again.
# (Messages in the meantime could be lost because writes fail, so statusrate defers the report of drops to the end.)
starve() {
	start -x statusrate=1h -x ledger=off -x aggsize=64m -x dynvarsize=64m -n "$1"
	echo 1 >"$group/memory.oom_control"
	until echo $(($(cat "$group/memory.usage_in_bytes") + 500000)) >"$group/memory.limit_in_bytes"; do :
	done 2>/dev/null
	pause 10
	echo -1 >"$group/memory.limit_in_bytes"
	finish INT
	is "$status" 0 'dtr exits with 0'
}

counted=$(on_each_cpu "profile-4999 /cpu == CPU/ { @madeCPU = sum(4); }")
told=$(on_each_cpu 'END { printa("made CPU %@d\n", @madeCPU); }')
four() { printf '%s' "$1 $1 $1 $1"; }

starve "$counted $(on_each_cpu "profile-4999 /cpu == CPU/ { $(four '@key[cpu, iCPU++] = count();') }") $told
	END { printa(\"K %d %d %@d\\n\", @key); }"
for cpu in $cpus; do
	printed=$(awk -v cpu="$cpu" '$1 == "K" && $2 == cpu { n += $4 } END { print n + 0 }' "$work/out")
	lost=$(dropped 'aggregation drop' "$cpu")
	is "$((printed + lost))" "$(made "$cpu")" "keys: made = printed + dropped on CPU $cpu ($printed + $lost)"
done
some "$(dropped 'aggregation drop')" 'there were drops'

starve "$counted $(on_each_cpu "profile-4999 /cpu == CPU/ {
	$(four 'a[cpu, ++iCPU] = 1; @in = sum(a[cpu, iCPU]);') }") $told
	END { printa(\"in %@d\\n\", @in); }"
lost=$(dropped 'dynamic variable drop') in=$(column in 2)
is "$((in + lost))" "$(column made 3)" "elements: made = stored + dropped ($in + $lost)"
some "$lost" 'there were drops'
done_testing
