# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr trace: the calls of programs that are known, line by line, also beside strace; threads, children, signals, ends.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
need_ptrace
need_types
with_bpf 'system calls' || { echo 1..0; exit 0; }
traced=$here/tests/kernel/traced
has() { # LINE NAME: is it a line of $calls?
	if grep -Fqx -- "$1" "$calls"; then ok 0 "$2"; else ok 1 "$2" "no line: $1" "$(cut -c1-200 "$calls")"; fi
}

# ---- decoding ----
calls=$work/calls
run "$DTR" trace -o "$calls" "$traced" calls
is "$status:$err" 0: 'a command'
sed -i 's/  *= /= /; s/\([=(, ]\)0x[0-9a-f]\{6,\}/\1ADDRESS/g' "$calls"
has 'openat(AT_FDCWD, "/etc/no-such-file", O_RDWR|O_CREAT|O_EXCL|O_DIRECTORY, 0640)= -1 EINVAL (Invalid argument)' \
	'flags, a mode, an error'
has 'openat(AT_FDCWD, "no\33[31m \"such\" \n\377file", O_RDONLY)= -1 ENOENT (No such file or directory)' \
	'a path with control characters'
like "$(cat "$calls")" '"x{1023}"\.\.\., O_RDONLY\)= -1 ENAMETOOLONG' 'a path that is too long is marked'
has 'openat(AT_FDCWD, 0x10, O_RDONLY)= -1 EFAULT (Bad address)' 'a bad pointer is an address'
has 'access("/", R_OK|X_OK)= 0' 'access()'
has 'write(4, "a\0\1\"\\\n", 6)= 6' 'the bytes that are written'
has 'read(3, "a\0\1\"\\\n", 8)= 6' 'the bytes that were read, not more'
has 'writev(4, [{iov_base="one", iov_len=3}, {iov_base="four", iov_len=4}], 2)= 7' 'writev()'
has 'readv(3, [{iov_base="onef", iov_len=4}, {iov_base="our", iov_len=4}], 2)= 7' 'readv()'
has 'write(5, 0x10, 5)= 5' 'a buffer that cannot be read'
has 'close(-1)= -1 EBADF (Bad file descriptor)' 'a negative descriptor'
has 'connect(6, {sa_family=AF_UNIX, sun_path="/no/such/socket"}, 110)= -1 ENOENT (No such file or directory)' \
	'an address of the family AF_UNIX'
has 'epoll_ctl(7, EPOLL_CTL_ADD, 5, {events=EPOLLIN|EPOLLET, data={u32=7, u64=7}})= 0' 'epoll_ctl()'
has 'poll([{fd=-1}], 1, 0)= 0 (Timeout)' 'poll()'
has 'setsockopt(8, SOL_SOCKET, SO_RCVLOWAT, [1], 4)= 0' 'setsockopt()'
has 'sendmsg(8, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base="to", iov_len=2}, {iov_base="gether", iov_len=6}], '\
'msg_iovlen=2, msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[7]}], '\
'msg_controllen=24, msg_flags=0}, 0)= 8' 'sendmsg()'
has 'poll([{fd=9, events=POLLIN}], 1, 0)= 1 ([{fd=9, revents=POLLIN}])' 'what poll() has found'
has 'recvmsg(9, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base="toget", iov_len=5}, {iov_base="her", iov_len=5}], '\
'msg_iovlen=2, msg_controllen=0, msg_flags=MSG_CTRUNC}, 0)= 8' 'recvmsg()'
like "$(cat "$calls")" '^rt_sigaction\(SIGUSR1, \{sa_handler=ADDRESS, sa_mask=\[\], sa_flags=SA_RESTORER\|SA_RESTART' \
	'sigaction()'
like "$(cat "$calls")" '^--- SIGUSR1 \{si_signo=SIGUSR1, si_code=SI_USER, si_pid=[0-9]+, si_uid=0\} ---$' 'a signal'
like "$(cat "$calls")" '^wait4\(.*, \[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 3\}\], 0, NULL\)= [0-9]+$' \
	'a wait status'
has 'exit_group(0)= ?' 'a call that does not return'
is "$(tail -n 1 "$calls")" '+++ exited with 0 +++' 'the end'
like "$(head -n 1 "$calls")" "^execve\(\"$traced\", \[\"$traced\", \"calls\"\], ADDRESS /\* [0-9]+ vars \*/\)= 0\$" \
	'the first line is the execve of the command'
is "$(grep -c execve "$calls")" 1 'without -f, children are not traced'

if any_of strace; then
	# calls that both show alike; process IDs and padding differ
	alike='^(access|writev|readv|openat.*"/(etc|dev)|lseek|close|socket\(AF_INET|connect|getpeername|epoll_create1'
	alike="$alike|setsockopt|sendmsg|recvmsg|poll|fcntl|wait4|exit_group|\\+\\+\\+)"
	echo | strace -o "$work/strace" "$traced" calls
	for f in "$calls" "$work/strace"; do
		sed -n '/no-such-file/,$p' "$f" | sed -E 's/  *= /= /; s/wait4\([0-9]+(.*= )[0-9]+/wait4(N\1N/
			s/[0-9]{3,}/N/g' | grep -E "$alike" >"$f.alike"
	done
	is "$(cat "$calls.alike")" "$(cat "$work/strace.alike")" \
		"$(wc -l <"$work/strace.alike") lines equal those of strace"

	# flags, commands and modes; numbers of descriptors and processes are alike, too
	flagged=$here/tests/kernel/flagged
	mkdir "$work/a" "$work/b"
	run sh -c 'cd "$1" && echo | "$2" trace -o ../flags.dtr -c "$3"' sh "$work/a" "$DTR" "$flagged"
	(cd "$work/b" && echo | strace -o ../flags.strace "$flagged")
	for f in "$work/flags.dtr" "$work/flags.strace"; do
		sed -n '/"file"/,$p' "$f" |
			sed -E 's/  *= /= /; s/0x[0-9a-f]{6,}/ADDRESS/g; s/, l_pid=[0-9]+/, l_pid=N/' >"$f.alike"
	done
	is "$(cat "$work/flags.dtr.alike")" "$(cat "$work/flags.strace.alike")" \
		"$(wc -l <"$work/flags.strace.alike") lines with flags, commands and modes equal those of strace"
else
	skip 'lines equal those of strace' 'strace is not installed'
fi

# ---- every call ----
names_of() { sed -n "s/^$1(\([a-z0-9_]*\),.*/\1/p" "$2" | sort; }
names_of CALL "$SRC/cmd/dtr/trace/calls.def" >"$work/rows"
for machine in x86_64 aarch64; do
	names_of SYSCALL "$SRC/providers/syscall/$machine.def" | comm -23 - "$work/rows" >"$work/missing"
	is "$(cat "$work/missing")" '' "each call of $machine has a row"
done
# Not made: no arguments make them harmless or short, or strace 6.1 does not know them, or shows something else.
not_made='exit restart_syscall rt_sigreturn pause sync vhangup uprobe uretprobe'
unknown='cachestat fchmodat2 file_getattr file_setattr futex_requeue futex_wait futex_wake getxattrat listmount
	listxattrat lsm_get_self_attr lsm_list_modules lsm_set_self_attr map_shadow_stack mseal open_tree_attr
	removexattrat setxattrat statmount'
# the order of arguments; structures that are addresses here; MAP_FILE, which is 0
other='clone modify_ldt recvmmsg remap_file_pages sendmmsg'
if [ "$(uname -m)" != x86_64 ]; then
	skip 'every call as strace shows it' 'the program is for x86-64'
elif any_of strace; then
	mkdir "$work/c" "$work/d"
	(cd "$work/c" && echo | strace -o ../every.strace "$here/tests/kernel/everycall")
	run sh -c 'cd "$1" && echo | "$2" trace -o ../every.dtr -c "$3"' sh "$work/d" "$DTR" \
		"$here/tests/kernel/everycall"
	# Different in each run: addresses, process IDs, times. Not repeated here: what a call leaves in its arguments.
	for f in "$work/every.dtr" "$work/every.strace"; do
		sed -n '/^getpid()/,$p' "$f" | grep -v '^--- SIGCHLD' | sed -E '
			s/  *= /= /; s/0x[0-9a-f]{8,}/ADDRESS/g; s/ \/\* [^*]*\*\///g
			s/ \(left \{[^}]*\}\)//; s/, left \{[^}]*\}//; s/\[[0-9]+ => ([0-9]+)\]/[\1]/
			s/^((get[ptgrids]*id|fork|vfork|getpgrp|setsid|times?|keyctl|set_tid_address)\(.*)= .*/\1= N/
			s/((wait4|process_vm_readv)\(|P_PID, |si_pid=|si_[us]time=)[1-9][0-9]*/\1N/g
			s/^(wait4.*= )[1-9][0-9]*/\1N/; s/si_([us]time)=0/si_\1=N/g' >"$f.alike"
		for call in $other; do
			grep "^$call(" "$f.alike" >>"$f.other"
			sed -i "/^$call(/d" "$f.alike"
		done
	done
	is "$(diff "$work/every.strace.alike" "$work/every.dtr.alike")" '' \
		"$(wc -l <"$work/every.strace.alike") lines of all calls equal those of strace"
	is "$(wc -l <"$work/every.dtr.other")" "$(wc -l <"$work/every.strace.other")" 'as many lines of the others'
	# shellcheck disable=SC2086
	is "$(sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$work/every.dtr" | sort -u | comm -13 - "$work/rows" | tr '\n' ' ')" \
		"$(printf '%s\n' $not_made $unknown | sort | tr '\n' ' ')" 'the calls that are not compared'
else
	skip 'every call as strace shows it' 'strace is not installed'
fi

# ---- children, threads, ends ----
calls=$work/children
run "$DTR" trace -f -e %process -o "$calls" "$traced" calls
# (in two parts if another line comes between, and the text was not in memory at the entry)
execve='(execve\(|<\.\.\. execve resumed>)'
like "$(cat "$calls")" \
	"^\\[pid +[0-9]+\\] $execve"'"/no/such/program", \["program", "one", "t."wo"\], 0x[0-9a-f]+\) = -1' \
	'-f: the arguments of a program in a child'
like "$(cat "$calls")" '^\[pid +[0-9]+\] <\.\.\. wait4 resumed>, \[.* == 3\}\], 0, NULL\) = [0-9]+$' \
	'a call in two parts'
is "$(grep -c '+++ exited with' "$calls")" 2 'the ends of both'
calls=$work/threads
run "$DTR" trace -e read,write -o "$calls" "$traced" threads
like "$(cat "$calls")" '^\[pid +[0-9]+\] write\(4, "x", 1\) += 1$' 'threads are distinguished'
like "$(cat "$calls")" '^\[pid +[0-9]+\] (read\(3, "x", 1\)|<\.\.\. read resumed>, "x", 1\)) += 1$' \
	'a call of another thread'
run "$DTR" trace "$traced" killed
like "$out" '^\+\+\+ killed by SIGKILL \+\+\+$' 'a program that is killed'

# shellcheck disable=SC2016
run "$DTR" trace -f -e execve sh -c 'trap "" HUP; trap : USR1; kill -HUP $$; kill -USR1 $$
	/bin/true 1 2 3 4 5 6 7 8 9; /bin/true 1 2 3 4 5 6 7 8 9 10; kill $$'
like "$out" '\["/bin/true", .*, "8", "9"\], ' 'ten words are all that there are'
like "$out" '\["/bin/true", .*, "8", "9", \.\.\.\], ' 'there are more than ten'
unlike "$out" '--- SIGHUP' 'a signal that is ignored is not delivered'
like "$out" '--- SIGUSR1 \{si_signo=SIGUSR1, si_code=SI_USER, si_pid=[1-9][0-9]*, si_uid=0\} ---' 'a handled one is'
like "$out" '--- SIGTERM \{si_signo=SIGTERM\} ---' 'one that ends the process has no siginfo'
like "$out" '--- SIGCHLD \{.* si_code=CLD_EXITED, .* si_status=0\} ---' 'the status of a child'

# ---- options ----
run "$DTR" trace -Z -e open* "$traced" calls
unlike "$out" '= [0-9]' '-Z: only failures'
run "$DTR" trace -o "$work/again" -e exit_group "$traced"
run "$DTR" trace -o "$work/again" -e exit_group "$traced"
is "$(wc -l <"$work/again")" 2 '-o replaces the file'
run "$DTR" trace -z -e open* "$traced" calls
unlike "$out" '= -1' '-z: only successes'
run "$DTR" trace -e '!%file,%memory' "$traced" calls
unlike "$out" '^(open|mmap|access)' '-e !: without these'
like "$out" '^lseek' 'the others'
run "$DTR" trace -y -e close "$traced" calls
like "$out" '^close\(5</dev/null>\) += 0$' '-y'
run "$DTR" trace -y -e write,sendmsg "$traced" calls
like "$out" '^write\(4<pipe:\[[0-9]+\]>, "a' 'the inode of a pipe'
like "$out" '^sendmsg\(8<socket:\[[0-9]+\]>, ' 'of a socket'
run "$DTR" trace -T -tt -s 3 -e write "$traced" calls
like "$out" '^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} write\(4, "a.0.1"\.\.\., 6\) += 6 <[0-9]+\.[0-9]{6}>$' \
	'-T, -tt, -s'
run "$DTR" trace -O json -e close,%signal "$traced" calls
like "$out" '"call":"close","args":\["-1"\],"result":-9,"error":"EBADF","duration":[0-9]+\}$' '-O json'
if any_of python3; then
	printf '%s\n' "$out" >"$work/json"
	run python3 -c 'import json, sys; [json.loads(l) for l in open(sys.argv[1])]' "$work/json"
	is "$status:$err" 0: 'every line is JSON'
else
	skip 'every line is JSON' 'no python3'
fi
run "$DTR" trace -C "$traced" many 10000
like "$out" '^ *[0-9.]+ +[0-9.]+ +[0-9]+ +10000 +getppid$' '-C counts every call'
like "$out" '^ +0\.00 +0\.000000 +0 +1 +execve$' 'and the execve of the command'
run "$DTR" trace -O json -e execve true
like "$out" '"call":"execve",.*"\[\\"true\\"\]",.*"result":0\}$' 'as an object'
run "$DTR" trace -f -C -e fork,vfork,clone,clone3 sh -c '(:); (:); :'
is "$(printf '%s\n' "$out" | awk '$NF ~ /^(v?fork|clone3?)$/ { n += $4 } END { print n + 0 }')" 2 \
	'-f -C: a call that returns in two processes is one'
# each call has a line, or the records are counted as dropped
for queue in 256m 0; do
	run "$DTR" trace -e getppid -x bufsize=4m -x bufqueue=$queue "$traced" many 100000
	lines=$(printf '%s\n' "$out" | grep -c '^getppid() .*= [0-9]')
	dropped=$(printf '%s\n' "$err" | awk '/drops/ { n += $2 } END { print n + 0 }')
	ok "$([ "$lines" -le 100000 ] && [ $((lines + dropped)) -ge 100000 ]; echo $?)" \
		"bufqueue=$queue: of 100000 calls $lines are shown, $dropped records are dropped"
done

# ---- a process that runs ----
# It is in read() when tracing begins, and ends with its input.
mkfifo "$work/go"
sh -c 'while read -r line; do :; done' <"$work/go" &
target=$!
children="$children $target"
exec 3>"$work/go"
awake() { echo >&3; grep -q 'read resumed' "$work/out"; }
attach() {
	rm -f "$work/out"
	"$DTR" trace -p $target -e read -o "$work/out" 2>"$work/err" 3>&- &
	tracer=$!
	children="$children $tracer"
	wait_until awake
}
attach
like "$(head -n 1 "$work/out")" '^<\.\.\. read resumed>\) += 1$' 'the call in which it was'
kill -INT $tracer
wait $tracer
is "$?:$(cat "$work/err")" 0: 'Ctrl-C ends tracing'
like "$(tail -n 1 "$work/out")" '^read\(0, <detached \.\.\.>$' 'the call in which it is'
ok "$(kill -0 $target; echo $?)" 'the process continues'
attach
exec 3>&-
wait $tracer
is "$?:$(cat "$work/err")" 0: '-p ends with the process'
like "$(cat "$work/out")" '^read\(0, "", 1\) += 0$' 'its last call'
is "$(tail -n 1 "$work/out")" '+++ exited with 0 +++' 'its end'

# ---- errors ----
"$DTR" trace "$traced" many 200000 2>"$work/err" </dev/null | head -n 1 >"$work/out"
is "$(wc -l <"$work/out"):$(grep -v drops "$work/err")" 1: 'a closed pipe'
while read -r words; do
	# shellcheck disable=SC2086
	run "$DTR" trace $words
	is "$status" 2 "refused: dtr trace $words"
	like "$err" '^dtr trace: ' 'it says why'
done <<'EOF'
-e opena true
-e %foo true
-s 0 true
-z -Z true
-p 1 true
-O xml true

EOF
run "$DTR" trace -e opena true
like "$err" "unknown system call 'opena' \(did you mean 'open'\?\)" 'a call that does not exist'
run "$DTR" --complete trace -e 'close,opena'
like "$out" '^close,openat	' 'names of calls are completed'
run "$DTR" trace --script -e close
like "$out" 'syscall::close:entry' 'the script'
printf '%s\n' "$out" >"$work/script.d"
run "$DTR" -es "$work/script.d" -c true
is "$status:$err" 0: 'it is D'
for text in a a= a=7: a=1 'a=1:x' 'a=1:tx0.0.1' 'a=1:ta6.0.1' 'a=1:ta0.65536.1' 'a=1:ta0.0' 'a=1:ta0.0.1x' \
	'a=0:,,,,,,ta0.0.1'; do
	run "$DTR" -en "BEGIN { _gather(\"$text\", 0, 0); }"
	like "$status:$err" "^1:.*malformed description of arguments: \"$text\"" "a description that is none: $text"
done
done_testing
