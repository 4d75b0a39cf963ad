# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What groups by container: dtr top -C, dtr flame -C. The control groups are made here.
# silent: 600 s: it prints the results of its program when that has ended
. "$SRC/tests/lib/tap.sh"
run "$DTR" top -C exact
is "$status:$err" '2:dtr top: -C: exact has processes, threads and CPUs (see dtr top -h)' 'top -C exact is refused'
run "$DTR" flame -C -F often
like "$status:$err" "^2:dtr flame: invalid rate 'often'" 'flame -C has the options of flame'
rate() { run "$DTR" flame "$@" -l; printf '%s\n' "$out" | awk '$2 == "profile" && $3 ~ /^profile-/ { print $3 }'; }
is "$(rate -C -c true)" profile-997 'flame -C: default rate for a command'
is "$(rate -C)" profile-199 'and for all processes'
need_kernel
need_room
need_types
. "$SRC/tests/lib/cgroups.sh"
cd "$work" || exit 1
make_group "$own/docker-$id.scope"
make_group "$own/lxc.payload.box"
cat >load <<EOF
in_group() { (echo 0 >"\$1/cgroup.procs" && exec sh -c 'i=0; while [ \$i -lt 600000 ]; do i=\$((i + 1)); done'); }
in_group $own/docker-$id.scope &
in_group $own/lxc.payload.box
wait
EOF
firsts() { sed 's/;.*//' "$1" | sort -u | grep -v '^[-?]$' | tr '\n' ' '; } # the first frames

for engine in bpf user; do
	[ $engine = user ] || with_bpf 'flame -C' || continue
	run "$DTR" flame -C -x engine=$engine -o $engine.folded -c 'sh load'
	is "$status:$(firsts $engine.folded)" '0:0123456789ab box ' "$engine: the first frame is the container"
	like "$(cat $engine.folded)" '^box;sh;' "$engine: the second one the process"
done
if with_bpf 'flame --off-cpu -C'; then
	cat >waits <<-EOF
		(echo 0 >$own/lxc.payload.box/cgroup.procs && for i in 1 2 3 4; do sleep 0.1; done)
	EOF
	run "$DTR" flame --off-cpu -C -o off.folded -c 'sh waits'
	is "$status:$(firsts off.folded)" '0:box ' 'flame --off-cpu -C'
	like "$(cat off.folded)" '^box;sleep;.*nanosleep.*schedule' 'where the container waits'
fi

# ---- labels: -O pprof, which dtr serve shows and pushes, too, and metrics ----
counted='profile-997 /progenyof($target)/ { @n[execname, container, pod, image, cgroup] = count();
	@s[execname, stack(), container] = count(); }'
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'labels' || continue
	run "$DTR" -q -x engine=$engine -O pprof -o $engine.pb.gz -n "$counted" -c 'sh load'
	"$here/tests/lib/profileshow" <$engine.pb.gz >labels
	like "$(cat labels)" "key1=sh container=box pod=- image=- cgroup=$name/lxc.payload.box\$" \
		"$engine: labels of a profile"
	like "$(cat labels)" '^sh;0123456789ab.* 0 [0-9]+ key1=sh container=0123456789ab$' "$engine: beside a stack"
	run "$DTR" -q -x engine=$engine -O openmetrics -n "$counted" -c 'sh load'
	like "$out" 'execname="sh",container="box",pod="-",image="-",cgroup="/[^"]*/lxc.payload.box"[}] [0-9]' \
		"$engine: labels of a metric"
done

# ---- recordings ----
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'dtr record' || continue
	run "$DTR" record -q -x engine=$engine -o $engine.rec -c 'sh load'
	is "$status" 0 "$engine: dtr record"
	run "$DTR" -x ledger=off -r $engine.rec -qn 'profile-997 /container != "-" && cgroupid/ {
		@[container, cgroup] = count(); @all = count(); }
		profile-997 /container == "box"/ { @box = count(); }
		END { printa("%s %s %@d\n", @); printa("all %@d\n", @all); printa("box %@d\n", @box); }'
	is "$(printf '%s\n' "$out" | sed -n 's/ [0-9]*$//p' | sort | tr '\n' ';')" \
		"0123456789ab $name/docker-$id.scope;all;box;box $name/lxc.payload.box;" \
		"$engine: names in the recording"
	rows=$out all=$(printf '%s\n' "$out" | sed -n 's/^all //p')
	box=$(printf '%s\n' "$rows" | sed -n 's/^box \([0-9]*\)$/\1/p')
	is "$(printf '%s\n' "$rows" | awk 'NF == 3 { n += $3 } /^all/ { n -= $2 } END { print n }')" 0 \
		"$engine: counts by container"
	is "$(printf '%s\n' "$rows" | awk '$1 == "box" { print $NF }' | sort -u | wc -l)" 1 "$engine: a comparison"
	query='profile-997 { @ = count(); } END { printa("%@d", @); }'
	run "$DTR" -x ledger=off -r $engine.rec -x container=box -qn "$query"
	same "$out" "$box" "$engine: -x container in a query"
	run "$DTR" -x ledger=off -r $engine.rec -x cgroup="$name" -qn "$query"
	same "$out" "$all" "$engine: -x cgroup in a query: also groups below it"
	run "$DTR" -x ledger=off -r $engine.rec -x container=other -qn "$query"
	is "$out:$err" ":dtr: the recording has no container 'other'" \
		"$engine: a container that is not in the recording"
	run "$DTR" report -C $engine.rec
	like "$out" 'CONTAINER' "$engine: dtr report -C has a table"
	is "$(printf '%s\n' "$out" | awk '/CONTAINER/ { on = 1 } /PROCESS/ { on = 0 }
		on && $NF == "box" { print $1 }')" "$box" "$engine: with these counts"
done
# The recorder is killed while the container runs, then its group is removed.
(echo 0 >"$own/lxc.payload.box/cgroup.procs" && exec sh -c 'while :; do :; done') &
spinner=$!
children="$children $spinner"
wait_until grep -q box "/proc/$spinner/cgroup"
"$DTR" record -q -p $spinner -o killed.rec 2>killed.err &
recorder=$!
children="$children $recorder"
larger() { [ "$(stat -c %s killed.rec 2>/dev/null || echo 0)" -gt 400 ]; }
wait_until larger
kill -9 $recorder $spinner
wait $recorder $spinner 2>/dev/null
run "$DTR" -x ledger=off -r killed.rec -qn 'profile-997 { @[container] = count(); } END { printa("%s\n", @); }'
is "$out" box 'a recording that was not finished has names'

# ---- dtr top -C ----
(echo 0 >"$own/docker-$id.scope/cgroup.procs" && exec sh -c 'while :; do :; done') &
spinner=$!
children="$children $spinner"
wait_until grep -q docker "/proc/$spinner/cgroup"
cat >top.py <<'EOF'
import os, sys
sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "lib"))
import screen

engine, spinner = sys.argv[1:]
line = [os.environ["DTR"], "top", "-C", "-x", "engine=" + engine, "-i", "100ms", "-p", spinner]
t = screen.Terminal(line, cols=100)
def show(name, good):
    print(("ok " if good else "not ") + name, flush=True)
    if not good:
        print(t.screen.text())
show("the columns", t.wait_text(r"samples +CONTAINER +POD +IMAGE$"))
show("the container", t.wait_text(r" 0123456789ab +- +-$"))
t.send("/0123\r")
t.wait_text("1 rows, filter")
t.send("\r")
show("its stacks", t.wait_text(r"\d+\.\d %  \d+ since they are collected\n +\S"))
t.send("q")
show("q ends it", t.end() == 0 and t.restored())
EOF
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'top -C' || continue
	python3 -u top.py $engine "$spinner" >top.out 2>&1
	is "$?:$(grep -c '^ok' top.out)" 0:4 "$engine: dtr top -C: columns, rows, stacks, end"
	grep -v '^ok' top.out | sed 's/^/# /'
done
done_testing
