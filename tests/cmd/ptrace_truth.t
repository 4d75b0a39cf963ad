# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sampling by ptrace(2) of a process with known shares (tests/kernel/test_truth.c), in user code and in system calls. A
# stop counts once, however many firings it stands for: then samples are independent, and the test's bound holds. The
# process and dtr are on one CPU, where dtr has to wait until a system call can be preempted: its rounds must not depend
# on that.
. "$SRC/tests/lib/tap.sh"

cat >"$work/dtr" <<'END'
#!/bin/sh
# dtr by ptrace(2), on the process of the script, at another rate, with more samples
for script; do :; done
pid=$(printf '%s\n' "$script" | sed -n 's/^profile-997 .pid == \([0-9]*\).*/\1/p')
script=$(printf "%s\n" "$script" |
	sed "s/profile-997 \\//profile-397 \\/timestamp != last \\&\\& /g; s/n >= 300/n >= 2500/")
cpu=$(ps -o psr= -p "$pid" | tr -d ' ')
taskset -cp "$cpu" "$pid" >/dev/null
exec taskset -c "$cpu" "$AS" root noperf nobpf "$DTR_BY_PTRACE" -x engine=user -x nolibs -p "$pid" -x ledger=off \
	-qn "int64_t last; $script profile-397 { last = timestamp; }"
END
chmod 755 "$work/dtr"
export AS="$here/tests/kernel/as_user" DTR_BY_PTRACE="$DTR"
[ "$(id -u)" = 0 ] || { echo '1..0 # SKIP only root has the right to trace the process'; exit 0; }
DTR="$work/dtr" "$here/tests/kernel/test_truth"
