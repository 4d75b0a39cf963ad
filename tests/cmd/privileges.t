# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What each privilege is for (README.md): with less than all of them names may be missing, which a warning says.
. "$SRC/tests/lib/tap.sh"
need_kernel
command -v setpriv >/dev/null || { echo '1..0 # SKIP no setpriv'; exit 0; }
[ "$(id -u)" = 0 ] || { echo '1..0 # SKIP only root can give privileges'; exit 0; }

# Root without the power of its number: what remains are these capabilities.
with() { # CAPABILITIES COMMAND...
	with_caps=$1
	shift
	run setpriv --inh-caps=-all --bounding-set="-all,$with_caps" "$@"
}
needed=+bpf,+perfmon
hidden='^dtr: warning: kernel addresses are not resolved: the kernel shows them only with CAP_SYSLOG, which is missing$'
program='profile-997 /arg0/ { @[stack(1)] = count(); n++; } profile-997 /n > 20/ { exit(0); }'

# ---- CAP_SYSLOG
with $needed grep -c -v '^0*  *[a-zA-Z]' /proc/kallsyms
shown=$status
command dd if=/dev/zero of=/dev/null bs=64k status=none &
pid=$!
children="$children $pid"
with $needed "$DTR" -qn "$program"
is "$status" 0 'CAP_BPF and CAP_PERFMON trace the kernel'
if [ "$shown" = 0 ]; then
	echo '# this kernel shows its addresses to everybody'
	like "$out" 'vmlinux`' 'names of the kernel'
else
	is "$(printf '%s\n' "$err" | grep -Ec "$hidden")" 1 \
		'without CAP_SYSLOG one warning says why the kernel has no names'
	like "$out" '^ *0xf[0-9a-f]{15}$' 'addresses are numbers'
	with $needed "$DTR" -O json -qn "$program"
	like "$out" '^\{"type":"message","text":"warning: kernel addresses are not resolved: ' 'JSON has the warning'
	with $needed "$DTR" record -qg -F 997 -o "$work/rec" -c "$here/tests/kernel/busy split 0 400"
	is "$(printf '%s\n' "$err" | grep -Ec "$hidden")" 1 'a recording warns'
	with $needed "$DTR" -qr "$work/rec" -n 'profile-997 { @[stack(1)] = count(); }'
	is "$status:$(printf '%s\n' "$err" | grep -Ec "$hidden")" 0:1 'and asking it does'
	run "$DTR" -qr "$work/rec" -n 'profile-997 { @[stack(1)] = count(); }'
	is "$status:$err" 0: 'unless it is asked with the privilege'
	like "$out" 'vmlinux`' 'which has the names'
fi
with $needed "$DTR" -qn 'profile-997 { @[execname] = count(); n++; } profile-997 /n > 20/ { exit(0); }'
unlike "$status:$err" 'not resolved' 'where no address is shown nothing is said'
with $needed,+syslog "$DTR" -qn "$program"
is "$status:$err" 0: 'with CAP_SYSLOG there is nothing to say'
like "$out" 'vmlinux`' 'and there are names'
stop $pid

# ---- CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH: another user's process, executing a file that only he can read
mkdir "$work/private"
cp "$here/tests/record/load" "$work/private/"
chown -R 65534:65534 "$work/private"
chmod 700 "$work/private"
"$work/private/load" 100000 >/dev/null &
pid=$!
children="$children $pid"
wait_until has_run $pid 2
program='profile-997 /pid == $1/ { @[ustack(1)] = count(); n++; } profile-997 /n > 20/ { exit(0); }'
with $needed cat /proc/$pid/maps
if [ "$status" = 0 ]; then
	what=$work/private/load cap=CAP_DAC_READ_SEARCH
else
	what=/proc/$pid/maps cap=CAP_SYS_PTRACE
fi
with $needed "$DTR" -qn "$program" $pid
is "$(printf '%s\n' "$err" |
	grep -c "^dtr: warning: cannot read $what: Permission denied ($cap is missing): some addresses are not \
resolved\$")" \
	1 'a process that may not be looked at: a warning says which privilege is missing'
with $needed,+sys_ptrace,+dac_read_search "$DTR" -qn "$program" $pid
is "$status:$err" 0: 'with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH nothing is missing'
like "$out" 'load`' 'and there are names'
stop $pid

# ---- CAP_SYS_ADMIN
with $needed "$DTR" -x cost -qn 'profile-997 { n++; } profile-997 /n > 20/ { exit(0); }'
like "$err" 'CAP_SYS_ADMIN is missing' '-x cost asks for CAP_SYS_ADMIN'
with $needed,+sys_admin "$DTR" -x cost -qn 'profile-997 { n++; } profile-997 /n > 20/ { exit(0); }'
unlike "$status:$err" 'CAP_SYS_ADMIN' 'and has what it needs then'
done_testing
