# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sessions outlive thousands of processes of every kind that end: more than are remembered (JIT_KEEP).
. "$SRC/tests/lib/tap.sh"
swarm=$here/tests/kernel/swarm
N=4400

if "$here/tests/kernel/can_bpf" >/dev/null; then
	run "$DTR" -qn 'profile-97 { @[ustack()] = count(); } END { trunc(@); }' -c "$swarm ended $N code"
	is "$status" 0 "$N processes that generate code: the session ends as usual"
	run "$DTR" -qn 'profile-97 { @[ustack()] = count(); } END { trunc(@); }
		syscall::getppid:entry /progenyof($target)/ { @n = count(); }' -c "$swarm ended $N all"
	is "$status" 0 "$N processes of every kind: the session ends as usual"
	is "$(echo $out)" $((N / 4)) "$N processes of every kind: those that make a call were traced"
else
	skip "$N processes" 'BPF is not available'
fi
if if_can 'rootless engine' perf_events; then
	run "$DTR" -x engine=user -qn 'profile-97 { @[ustack()] = count(); } END { trunc(@); }' \
		-c "$swarm ended $N code"
	is "$status" 0 'rootless engine: the session ends as usual'
fi
done_testing
