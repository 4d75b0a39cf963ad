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
firsts() { sed 's/;.*//' "$1" | sort -u | grep -v '^-$' | tr '\n' ' '; } # the first frames

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
