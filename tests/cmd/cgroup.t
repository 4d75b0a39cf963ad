# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Control groups that this test makes itself, with programs whose calls are known: cgroup, cgroupid, container,
# -x cgroup and -x container, in both engines and both versions of control groups.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
need_types
calls=$here/tests/kernel/calls_known

. "$SRC/tests/lib/cgroups.sh"
make_group "$own/a"
make_group "$own/a/below"
make_group "$own/b"
rows() { printf '%s\n' "$out" | awk 'NF' | sort; }

# In a group each: 200, 300 and 100 calls; the last group is created late and has ended before the output.
cat >"$work/load" <<EOF
in_group() { (echo 0 >"\$1/cgroup.procs" && exec "$calls" "\$2"); }
in_group $own/a 200 &
in_group $own/a/below 300 &
mkdir $own/late
in_group $own/late 100
rmdir $own/late
wait
EOF

ours='execname == "calls_known" && progenyof($target)'
script="syscall::getppid:entry /$ours/"
entry=syscall::getppid:entry
echo "(echo 0 >$own/a/cgroup.procs && exec $calls 200)" >"$work/one"
want="$name/a 200
$name/a/below 300
$name/late 100"
run "$DTR" -q -n "$script { @[cgroup] = count(); } END { printa(\"%s %@d\n\", @); }" -c "sh $work/load"
is "$status" 0 'a script with cgroup runs'
is "$err" '' 'without a message'
is "$(rows)" "$want" 'calls by control group, also one that has ended before the output'

run "$DTR" -q -n "$script { @[cgroupid] = count(); } END { printa(\"%d\n\", @); }" -c "sh $work/load"
is "$(printf '%s\n' "$out" | grep -cxF -e "$(stat -c %i "$own/a")" -e "$(stat -c %i "$own/a/below")")" 2 \
	'cgroupid is the inode number of the directory'

run "$DTR" -q -n "$entry /$ours && cgroup == \"$name/a\"/ { @[1] = count(); }
	$entry /$ours && cgroup != \"$name/a\"/ { @[2] = count(); }
	$entry /$ours && (cgroup == \"$name/late\" || cgroup == \"$name/none\")/ { @[3] = count(); }
	END { printa(\"%d %@d\n\", @); }" -c "sh $work/load"
is "$(rows | sed -n 1p)" '1 200' 'a comparison with a path is exact'
is "$(rows | sed -n 2p)" '2 400' '!= is its opposite'
between "$(rows | sed -n 's/^3 //p')" 1 100 'a group that is created later is compared, too, as soon as dtr has seen it'

run "$DTR" -q -n "$script { printf(\"%s|%-2s|%s|%S\n\", cgroup, container, pod, image); exit(0); }" -c "sh $work/one"
like "$out" "^$name/a\|- \|-\|-$" 'printf() shows names; there is no container'
run "$DTR" -n "$script { trace(cgroup); exit(0); }" -c "sh $work/one"
like "$out" "getppid:entry *$name/a" 'trace() shows a name'
run "$DTR" -O json -n "$script { @[cgroup] = count(); } $script { printf(\"%s\", cgroup); }" -c "sh $work/load"
is "$(printf '%s\n' "$out" | sed -n "s/.*\"type\":\"row\",\"keys\":\[\"\([^\"]*\)\"\].*\"value\":\([0-9]*\).*/\1 \2/p" |
	sort)" "$want" 'JSON shows names'
is "$(printf '%s\n' "$out" | grep -c "\"args\":\[\"$name/late\"\]")" 100 'also in records'

# ---- -x cgroup ----
for how in "$name/a" "$own/a" "$(stat -c %i "$own/a")"; do
	run "$DTR" -q -x cgroup="$how" -n 'syscall::getppid:entry { @[cgroup] = count(); } END {
		printa("%s %@d\n", @); }' -c "sh $work/load"
	is "$(rows)" "$name/a 200
$name/a/below 300" "-x cgroup=${how%"$$"*}...: the group and those below it"
done
run "$DTR" -q -x cgroup=below -n 'syscall::getppid:entry { @[cgroup] = count(); } END {
	printa("%s %@d\n", @); }' -c "sh $work/load"
is "$(rows)" "$name/a/below 300" 'the last part of a path is a name'
run "$DTR" -q -x cgroup="$name/b" -n 'BEGIN { n = 0; } syscall:::entry { n++; } tick-50ms /++t == 3/ { exit(0); }
	END { printf("%d", n); }' -c "sh $work/load"
is "$out" 0 'a group without threads: nothing fires but BEGIN, END and tick'
run "$DTR" -q -x cgroup=/ -n "$script { @ = count(); } END { printa(\"%@d\", @); }" -c "sh $work/load"
is "$out" 600 'the root has all groups'

make_late() {
	wait_for 'nothing is traced until' "$work/late.err"
	mkdir "$own/later" && groups="$own/later $groups"
	(echo 0 >"$own/later/cgroup.procs" && exec "$calls" forever) &
	forever=$!
	children="$children $forever"
}
"$DTR" -q -x cgroup="$name/later" -n 'syscall::getppid:entry /++n >= 10/ { printf("%s", cgroup); exit(0); }' \
	>"$work/late.out" 2>"$work/late.err" &
late=$!
children="$children $late"
make_late
wait $late
tap_p=$?
kill "$forever"
is $tap_p 0 'a group that does not exist yet'
is "$(cat "$work/late.out")" "$name/later" 'is traced as soon as it does'
like "$(cat "$work/late.err")" "there is no control group '$name/later' yet" 'with a message'

# ---- containers ----
# Other names than those of other tests: a container is the newest one with its name.
id=fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210
make_group "$own/docker-$id.scope"
make_group "$own/docker-$id.scope/init.scope"
make_group "$own/lxc.payload.crate"
cat >"$work/load2" <<EOF
in_group() { (echo 0 >"\$1/cgroup.procs" && exec "$calls" "\$2"); }
in_group $own/docker-$id.scope 200 &
in_group $own/docker-$id.scope/init.scope 300 &
in_group $own/lxc.payload.crate 100 &
in_group $own/b 150 &
wait
EOF
run "$DTR" -q -n "$script { @[container] = count(); } END { printa(\"%s %@d\n\", @); }" -c "sh $work/load2"
is "$(rows)" '- 150
crate 100
fedcba987654 500' 'container: a short ID, a name, or -'
run "$DTR" -q -n "$entry /$ours && container == \"fedcba987654\"/ { @[1] = count(); }
	$entry /$ours && container == \"$id\"/ { @[2] = count(); }
	$entry /$ours && container == \"crate\" && pod == \"-\"/ { @[3] = count(); }
	$entry /$ours && container == \"-\"/ { @[4] = count(); } END { printa(\"%d %@d\n\", @); }" -c "sh $work/load2"
is "$(rows)" '1 500
2 500
3 100
4 150' 'comparisons with names and IDs'
for how in fedcba987654 $id; do
	run "$DTR" -q -x container="$how" -n 'syscall::getppid:entry { @ = count(); } END { printa("%@d", @); }' \
		-c "sh $work/load2"
	is "$out" 500 "-x container with an ID of ${#how} digits: also what runs below"
done
run "$DTR" -q -x container=crate -n 'syscall::getppid:entry { @ = count(); } END { printa("%@d", @); }'\
	-c "sh $work/load2"
is "$out" 100 '-x container with a name'

# ---- many groups, in a moment ----
cat >"$work/many" <<EOF
for i in \$(seq 1 300); do mkdir $own/many\$i; done
(for i in \$(seq 1 300); do echo 0 >$own/many\$i/cgroup.procs; kill -0 \$\$; done)
for i in \$(seq 1 300); do rmdir $own/many\$i; done
EOF
run "$DTR" -q -n "syscall::kill:entry /progenyof(\$target)/ { @[cgroup] = count(); } END { printa(\"%s %@d\n\", @); }" \
	-c "sh $work/many"
is "$(printf '%s\n' "$out" | grep -cE "^$name/many[0-9]+ 1$")" 300 '300 groups that ended at once have names'

# ---- what cannot be done with a name ----
for use in 'x = cgroup;' 'trace(strlen(container));' 'a[pod] = 1;' 'trace(cgroup < "/a");'\
	'trace(cgroup == execname);' \
	'trace(image ? 1 : 0);'; do
	run "$DTR" -e -n "BEGIN { $use }"
	is "$status" 1 "refused: $use"
	like "$err" '(cgroup|container|pod|image) can only be|must be a string|scalar type' 'with the reason'
done
run "$DTR" -x cgroup=/ -x container=web -n 'syscall:::entry { exit(0); }'
like "$err" "option 'container': -x cgroup is given" 'either -x cgroup or -x container'
run "$DTR" -x hierarchy=none -n 'BEGIN { trace(cgroup); exit(0); }'
is "$status" 1 'an unknown hierarchy is an error'
like "$err" "no controller of version 1 called 'none'" 'with the reason'
run "$DTR" -q -n 'BEGIN { self->image = 5; trace(self->image); exit(0); }'
is "$out" 5 'a thread-local variable can have the name'

# ---- the rootless engine ----
(echo 0 >"$own/a/below/cgroup.procs" && exec sh -c 'while :; do :; done') &
spinner=$!
children="$children $spinner"
wait_until grep -q "$name/a/below" "/proc/$spinner/cgroup"
run "$DTR" -q -x engine=user -x cgroup="$name/a" -n 'profile-197 { @[cgroup, pid] = count(); } profile-197 /++n >= 20/ {
	exit(0); } END { printa("%s %d\n", @); }'
is "$(rows)" "$name/a/below $spinner" 'the rootless engine: -x cgroup, the name'
run "$DTR" -q -x engine=user\
	-n "profile-197 /cgroup == \"$name/a/below\" && ++n >= 20/ { printf(\"%d %s\", cgroupid, cgroup);
	exit(0); }"
is "$out" "$(stat -c %i "$own/a/below") $name/a/below" 'a comparison, the number'
kill $spinner
# a group that is created while dtr runs, and has gone when its name is shown
"$DTR" -q -x engine=user -n 'BEGIN { printf("begun\n"); }
	profile-197 { @[cgroup] = count(); printf("in %d\n", cgroupid); }
	END { printa("%s|\n", @); }' >"$work/gone.out" 2>"$work/gone.err" &
tracer=$!
children="$children $tracer"
wait_for begun "$work/gone.out"
mkdir "$own/gone" && groups="$own/gone $groups"
(echo 0 >"$own/gone/cgroup.procs" && exec sh -c 'while :; do :; done') &
spinner=$!
children="$children $spinner"
wait_for "^in $(stat -c %i "$own/gone")\$" "$work/gone.out"
kill -9 $spinner
wait $spinner 2>/dev/null
wait_until rmdir "$own/gone"
kill -INT $tracer
wait $tracer
is "$(grep -cxF "$name/gone|" "$work/gone.out")" 1 'a group that has come and gone has its name'

# ---- version 1 ----
for controller in memory pids cpu freezer; do
	old=$(mount_of cgroup $controller)
	[ -n "$old" ] && make_group "$old/dtr-test-$$" 2>/dev/null && break
	old=
done
if [ -n "$old" ]; then
	make_group "$old/dtr-test-$$/one"
	echo "(echo 0 >$old/dtr-test-$$/one/cgroup.procs && exec $calls 200)" >"$work/load3"
	run "$DTR" -q -x hierarchy=$controller -n "$script { @[cgroup, cgroupid] = count(); } END {
		printa(\"%s %d %@d\n\", @); }" -c "sh $work/load3"
	is "$out" "/dtr-test-$$/one $(stat -c %i "$old/dtr-test-$$/one") 200" 'a hierarchy of version 1'
	run "$DTR" -q -x hierarchy=$controller -x cgroup="/dtr-test-$$" -n 'syscall::getppid:entry { @ = count(); }
		END {
		printa("%@d", @); }' -c "sh $work/load3"
	is "$out" 200 '-x cgroup in it'
	# renamed while it is traced, with a group below it
	make_group "$old/dtr-test-$$/one/low"
	groups="$old/dtr-test-$$/two/low $old/dtr-test-$$/two $groups"
	echo "(echo 0 >$old/dtr-test-$$/one/low/cgroup.procs && $calls 10 &&
		mv $old/dtr-test-$$/one $old/dtr-test-$$/two && exec $calls 20)" >"$work/load4"
	run "$DTR" -q -x hierarchy=$controller -n "$script { @[cgroup] = count(); } END { printa(\"%s %@d\n\", @); }" \
		-c "sh $work/load4"
	is "$out" "/dtr-test-$$/two/low 30" 'a group that was renamed has its new name'
else
	skip 'a hierarchy of version 1' 'none is mounted in which groups can be created'
fi

# ---- a name space of control groups ----
if unshare -Cm true 2>/dev/null; then
	run unshare -Cm sh -c "mount -t cgroup2 none '$work' 2>/dev/null && ls '$work' >/dev/null &&
		exec '$DTR' -q -n 'BEGIN { trace(cgroup); exit(0); }'"
	is "$out" / 'in a name space of control groups, paths begin at its root'
else
	skip 'a name space of control groups' 'none can be created'
fi
done_testing
