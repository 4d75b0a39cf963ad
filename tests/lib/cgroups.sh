# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Control groups of a test's own. Use, after tap.sh and what the test needs:
#	. "$SRC/tests/lib/cgroups.sh"
#	make_group "$own/a"          # $name/a is its path in the hierarchy
# Skips the whole test where no group can be created. Groups that are left are removed at the end.
mount_of() { # TYPE [CONTROLLER]: where such a hierarchy is mounted
	awk -v type="$1" -v want="${2-}" '{ for (i = 7; $i != "-"; i++); n = split($(i + 3), o, ",")
		for (k = 1; $(i + 1) == type && k <= n; k++) if (want == "" || o[k] == want) { print $5; exit } }' \
		/proc/self/mountinfo
}
top=$(mount_of cgroup2)
if [ -z "$top" ] && [ -z "${CGROUP_AGAIN-}" ]; then
	rmdir "$work"
	CGROUP_AGAIN=1 exec unshare -m sh -c 'mount -t cgroup2 none /mnt; exec sh "$0"' "$0"
fi
own=$top/dtr-test-$$
groups="" # to remove, the deepest first
make_group() { # PATH
	mkdir "$1" && groups="$1 $groups"
}
cgroup_cleanup() {
	tap_cleanup
	[ ! -d "$own" ] || groups="$groups $(find "$own" -depth -type d)" # what a load has left, too
	for g in $groups; do
		tap_i=0
		until rmdir "$g" 2>/dev/null || [ ! -d "$g" ] || [ $tap_i -ge 100 ]; do
			sleep 0.05
			tap_i=$((tap_i + 1))
		done
	done
}
trap cgroup_cleanup EXIT
make_group "$own" 2>/dev/null || { echo '1..0 # SKIP no control group can be created here'; exit 0; }
name=/${own##*/}
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef # of a container
