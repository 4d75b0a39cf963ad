# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Two network name spaces, those of the processes $a and $b, joined by veth: 10.77.0.1 and fd77::1 in $a, .2 and ::2 in
# $b. After tap.sh. Without the privilege or a program that is needed, the test is skipped.
for tool in python3 ip nsenter; do
	command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 0; }
done
cd "$work" || exit 1

space() { # sets $pid: a process in a name space of its own
	unshare -n sleep 1000 &
	pid=$!
	children="$children $pid"
	until [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do :; done
	inside "$pid" ip link set lo up
}
inside() { inside_pid=$1; shift; nsenter -t "$inside_pid" -n "$@"; } # PID COMMAND...
space; a=$pid
space; b=$pid
if ! inside "$a" ip link add veth0 type veth peer name veth0 netns "$b" 2>err; then
	echo "1..0 # SKIP no veth: $(cat err)"
	exit 0
fi
for end in "$a 1" "$b 2"; do
	set -- $end
	inside "$1" ip addr add "10.77.0.$2/24" dev veth0
	inside "$1" ip addr add "fd77::$2/64" dev veth0 nodad
	inside "$1" ip link set veth0 up
done
