# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The purpose of each privilege (README.md). If one is missing, symbols may be missing, which a warning reports.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
command -v setpriv >/dev/null || { echo '1..0 # SKIP no setpriv'; exit 0; }
[ "$(id -u)" = 0 ] || { echo '1..0 # SKIP only root can give privileges'; exit 0; }

# Runs a command as user ID 0 with only these capabilities.
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
	echo '# this kernel shows its addresses to all users'
	like "$out" 'vmlinux`' 'kernel addresses are resolved'
else
	is "$(printf '%s\n' "$err" | grep -Ec "$hidden")" 1 \
		'without CAP_SYSLOG one warning says why kernel addresses are not resolved'
	like "$out" '^ *0xf[0-9a-f]{15}$' 'without CAP_SYSLOG kernel addresses are numbers'
	with $needed "$DTR" lockstat
	! if_can 'lockstat names the missing capability' types ||
		like "$status:$err" \
			'^1:.*caller is not available: the kernel hides its addresses .CAP_SYSLOG is missing' \
			'lockstat names the missing capability'
	with $needed "$DTR" -O json -qn "$program"
	like "$out" '^\{"type":"message","text":"warning: kernel addresses are not resolved: ' \
		'JSON contains the warning'
	with $needed "$DTR" record -qg -F 997 -o "$work/rec" -c "$here/tests/kernel/busy split 0 400"
	is "$(printf '%s\n' "$err" | grep -Ec "$hidden")" 1 'dtr record warns'
	with $needed "$DTR" -qr "$work/rec" -n 'profile-997 { @[stack(1)] = count(); }'
	is "$status:$(printf '%s\n' "$err" | grep -Ec "$hidden")" 0:1 'a query without CAP_SYSLOG warns'
	run "$DTR" -x ledger=off -qr "$work/rec" -n 'profile-997 { @[stack(1)] = count(); }'
	is "$status:$err" 0: 'a query with CAP_SYSLOG does not warn'
	like "$out" 'vmlinux`' 'a query with CAP_SYSLOG resolves kernel addresses'
fi
with $needed "$DTR" -qn 'profile-997 { @[execname] = count(); n++; } profile-997 /n > 20/ { exit(0); }'
unlike "$status:$err" 'not resolved' 'no warning if no address is printed'
with +chown "$DTR" lockstat
! if_can 'lockstat without privileges' types ||
	like "$status:$err" '^1:.*no privilege to use BPF: this root lacks CAP_BPF' \
		'lockstat without privileges names what stops it first'
with $needed,+syslog "$DTR" -x ledger=off -qn "$program"
is "$status:$err" 0: 'no warning with CAP_SYSLOG'
like "$out" 'vmlinux`' 'with CAP_SYSLOG kernel addresses are resolved'
stop $pid

# ---- CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH: a process of another user with an executable that only that user can read
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
	1 'a process that dtr must not inspect: a warning names the missing privilege'
with $needed,+sys_ptrace,+dac_read_search "$DTR" -qn "$program" $pid
is "$status:$err" 0: 'no warning with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH'
like "$out" 'load`' 'with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH addresses are resolved'
stop $pid

# ---- CAP_SYS_ADMIN
with $needed "$DTR" -x cost -qn 'profile-997 { n++; } profile-997 /n > 20/ { exit(0); }'
like "$err" 'CAP_SYS_ADMIN is missing' '-x cost needs CAP_SYS_ADMIN'
with $needed,+sys_admin "$DTR" -x cost -qn 'profile-997 { n++; } profile-997 /n > 20/ { exit(0); }'
unlike "$status:$err" 'CAP_SYS_ADMIN' '-x cost does not warn with CAP_SYS_ADMIN'
done_testing
