# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# args[] of system calls: the table of types and names equals the kernel's own (tracefs, in a name space of this test),
# and the values have these types.
. "$SRC/tests/lib/tap.sh"
need_kernel

# "CALL N TYPE (NAME)", the types as dtr writes them, without const
types='s/ *const */ /g; s/\*(/* (/; s/\* *\*/**/g; s/ unsigned \([(*]\)/ unsigned int \1/
	s/cap_user_\([a-z]*\)_t (/struct __user_cap_\1_struct * (/'
kernel_args() {
	mkdir "$work/tracing"
	unshare -m sh -c 'mount -t tracefs none "$1" && cd "$1/events/syscalls" && grep -H field: sys_enter_*/format' \
		sh "$work/tracing" 2>/dev/null |
		awk '/__syscall_nr|common_/ { next }
			{ split($0, part, /:/); call = part[1]; sub(/^sys_enter_/, "", call); sub("/format", "", call)
			  text = part[3]; sub(/;.*/, "", text); sub(/^ */, "", text)
			  name = text; sub(/.*[ *]/, "", name)
			  type = substr(text, 1, length(text) - length(name)); sub(/ *$/, "", type)
			  if (call != last) n = 0
			  last = call
			  if (call ~ /^new(.?stat|uname)$/) sub(/^new/, "", call)
			  if (call == "umount") call = "umount2"
			  if (call == "sendfile64") call = "sendfile"
			  printf "%s %d %s (%s)\n", call, n++, type, name }' |
		sed "$types" | sort
}
dtr_args() {
	"$DTR" -lvn 'syscall:::entry' | awk '$2 == "syscall" { call = $4 }
		/args\[[0-9]\]:/ {
			n = substr($1, 6, 1)
			sub(/.*args\[[0-9]\]: (userland )?/, "")
			print call, n, $0 }' |
		sed "$types" | sort
}
# this type was another one before Linux 6.13
kernel_args | grep -v '^name_to_handle_at 3' >"$work/kernel"
dtr_args | grep -v '^name_to_handle_at 3' >"$work/dtr"
if [ -s "$work/kernel" ]; then
	awk '{ print $1 }' "$work/kernel" | sort -u >"$work/calls"
	# calls without such an event in this kernel are not compared
	awk 'NR == FNR { in_kernel[$1] = 1; next } $1 in in_kernel' "$work/calls" "$work/dtr" >"$work/ours"
	ok "$([ "$(wc -l <"$work/calls")" -gt 250 ]; echo $?)" "$(wc -l <"$work/calls") calls have types in tracefs"
	difference=$(diff "$work/kernel" "$work/ours")
	is "$difference" '' 'types and names of arguments equal those of the kernel'
else
	skip 'types and names of arguments' 'tracefs cannot be mounted, or has no events of system calls'
fi

run "$DTR" -lvn 'syscall::openat:entry,syscall::mmap:return,syscall::getpid:entry'
like "$out" 'args\[0\]: int \(dfd\)$' 'the type and name of a number'
like "$out" 'args\[1\]: userland const char \* \(filename\)$' 'of a pointer'
like "$out" 'args\[0\]: uintptr_t$' 'the result of mmap() is an address'
like "$out" '^		None$' 'getpid() has no arguments'

# ---- values ----
run "$DTR" -qn 'syscall::lseek:entry /pid == $target/ { self->fd = arg0; self->off = arg1; self->way = arg2 + 1; }
	syscall::lseek:return /self->way && arg2 == self->fd && arg3 == self->off && arg4 == self->way - 1/ { n++; }
	syscall::lseek:return /self->way/ { all++; }
	END { printf("%s %d of %d\n", n == all && n > 0 ? "equal" : "different", n, all); }' \
	-c 'dd if=/dev/zero of=/dev/null bs=1 count=3 skip=7 seek=0 status=none'
like "$out" '^equal ' 'the arguments of the call are arg2 and so on at its return'
run "$DTR" -qn 'syscall::openat:entry /pid == $target && args[0] == -100 && arg0 != -100 &&
		basename(copyinstr((uintptr_t)args[1])) == "no-such-file"/ { self->at = 1 }
	syscall::openat:return /self->at/ { printf("%d %d\n", args[0], args[1]); self->at = 0; }' \
	-c 'cat /no-such-file'
like "$out" '^-2 -2$' 'args[] are signed, and arguments of 32 bits are converted'
run "$DTR" -qn 'syscall::clock_nanosleep:entry /pid == $target/ {
		printf("%d.%09d\n", args[2]->tv_sec, args[2]->tv_nsec); }' -c 'sleep 0.25'
! if_can 'members of structures are read in the process' types ||
	is "$out" '0.250000000' 'members of structures are read in the process'
run "$DTR" -en 'syscall::read:entry, syscall::openat:entry { trace(args[0]); }'
like "$err" 'arguments of different types' 'probes whose arguments differ are refused'
run "$DTR" -en 'syscall::getpid:entry { trace(args[0]); }'
like "$err" 'out of range' 'an argument that a call does not have is refused'
run "$DTR" -en 'syscall::read:entry, syscall::write:entry { @ = sum(args[2]); }'
is "$status:$err" 0: 'equal types can be used together'
done_testing
