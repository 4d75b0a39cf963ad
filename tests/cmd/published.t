# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What published scripts rely on: how they are started, and names from other systems that dtr supports.
. "$SRC/tests/lib/tap.sh"
need_kernel

# ---- started as dtrace ----
ln -s "$DTR" "$work/dtrace"
script() { # NAME INTERPRETER-OPTIONS: writes an executable script with the text from standard input
	{ printf '#!%s %s\n' "$work/dtrace" "$2"; cat; } >"$work/$1"
	chmod +x "$work/$1"
}
script quiet.d -qs <<'E'
BEGIN { printf("%d %s %s", $1, $$2, $$0); exit(0); }
E
run "$work/quiet.d" 7 word
is "$status:$out" "0:7 word $work/quiet.d" '#! with -qs: arguments and $0'
script plain.d -s <<'E'
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz
inline int LINES = 20;
dtrace:::BEGIN
/$1 == 0 || $1 == 5/
{
	$1 ? printf("five\n") : printf("none %s.\n", $$2);
	lines = LINES + 1;
}
dtrace:::BEGIN, profile:::tick-1sec
/lines++ > LINES/
{
	printf("%6s\n", "HEAD");
	exit(0);
}
E
run "$work/plain.d"
is "$status:$out" '0:none .
  HEAD' 'defaultargs: a missing argument'
run "$work/plain.d" 5
is "$status:$out" '0:five
  HEAD' 'defaultargs: a given argument'
script cpp.d -Cs <<'E'
#define GREETING "preprocessed"
#pragma D option quiet
BEGIN { trace(GREETING); exit(0); }
E
if ! any_of cpp gcc clang cc; then
	skip '#! with -Cs' 'no C preprocessor'
else
	run "$work/cpp.d"
	is "$status:$out" '0:preprocessed' '#! with -Cs'
fi
script flow.d -ZFqs <<'E'
nobody:::here { }
BEGIN { exit(3); }
E
run "$work/flow.d"
is "$status:$err" '3:' '#! with -ZFqs'
cat >"$work/wrapper" <<E
opt_name=0; pname=.
while getopts n: name; do opt_name=1; pname=\$OPTARG; done
"$work/dtrace" -n '
 inline int OPT_name = '\$opt_name';
 inline string NAME = "'\$pname'";
 #pragma D option quiet
 dtrace:::BEGIN
 {
	OPT_name ? printf("only %s\n", NAME) : 1;
	OPT_name == 0 ? printf("all\n") : 1;
	exit(0);
 }
'
E
run sh "$work/wrapper"
is "$status:$out" '0:all' 'a shell script with a D script in it'
run sh "$work/wrapper" -n sshd
is "$status:$out" '0:only sshd' 'a shell script with an option'
run "$work/dtrace" -qn 'BEGIN { nonsense(); }'
like "$err" '^dtrace: ' 'messages begin with the name by which dtr was called'

# ---- variables of another kernel ----
run "$DTR" -qn 'BEGIN { printf("%d %d %d", `ncpus_online, `_pagesize, `physmem); exit(0); }'
is "$out" "$(getconf _NPROCESSORS_ONLN) $(getconf PAGESIZE) $(getconf _PHYS_PAGES)" \
	'`ncpus_online, `_pagesize and `physmem'
like "$out" '^[1-9][0-9]* (4096|16384|65536) [1-9][0-9]*$' 'none of these is 0'
run "$DTR" -qn 'BEGIN { printf("%s %s %s", `utsname.sysname, `utsname.release, `utsname.machine); exit(0); }'
is "$out" "$(uname -srm)" '`utsname'
# between the PIDs of two processes started here; repeated if the PIDs have wrapped around
before=2 after=1
until [ "$before" -lt "$after" ]; do
	before=$(sh -c 'echo $$')
	run "$DTR" -qn 'BEGIN { printf("%d", `mpid); exit(0); }'
	after=$(sh -c 'echo $$')
done
between "$out" $((before + 1)) $((after - 1)) '`mpid is the PID of the newest process'
run "$DTR" -qn 'BEGIN { printf("%d %d", `lbolt64 - timestamp / 10000000, `lbolt == `lbolt64); exit(0); }'
is "$status:$out" '0:0 1' '`lbolt, `lbolt64: hundredths of seconds'
run "$DTR" -en 'BEGIN { trace(`no_such_variable_anywhere); }'
is "$status" 1 'an unknown kernel variable is an error'
run "$DTR" -en 'BEGIN { trace(`mpid[1]); }'
is "$status" 1 'indexing `mpid is an error'

# ---- arguments and names of processes ----
if with_bpf 'system calls, the scheduler'; then
run "$DTR" -qn 'syscall::clock_nanosleep:entry /pid == $target/ { this->p = curpsinfo->pr_argv;
	printf("%d %d %d ", curpsinfo->pr_dmodel == PR_MODEL_LP64, curpsinfo->pr_wstat, curpsinfo->pr_nzomb);
	printf("%d %s %s %d", curpsinfo->pr_argc, copyinstr(*(uintptr_t *)copyin(this->p + 8, 8)),
	    copyinstr(*(uintptr_t *)copyin(curpsinfo->pr_envp, 8)), *(uintptr_t *)copyin(this->p + 16, 8));
	    exit(0); }' \
	-c 'env -i ONLY=this sleep 0.25'
is "$out" '1 0 0 2 0.25 ONLY=this 0' 'pr_dmodel, pr_argc, pr_argv, pr_envp'
run "$DTR" -qn 'syscall::clock_nanosleep:entry /pid == $target/ { printf("%s %d", curlwpsinfo->pr_name,
	sizeof (curlwpsinfo->pr_name)); exit(0); }' \
	-c 'sleep 0.25'
is "$out" 'sleep 16' 'pr_name of a thread'
run "$DTR" -qn 'syscall::openat:entry /arg0 == -100/ { } BEGIN { exit(0); }'
is "$status:$(printf '%s\n' "$err" | grep -c 'warning: .*comparison may always be false')" 0:1 \
	'a comparison that is never true is a warning; the script runs'
run "$DTR" -qn 'sched:::sleep /pid == $target/ { @[curlwpsinfo->pr_stype == SOBJ_CV,
	curlwpsinfo->pr_state == SSLEEP] = count(); }
	profile-97 { @idle[pid == 0, (curlwpsinfo->pr_flag & PR_IDLE) != 0] = count(); }
	syscall::exit_group:entry /pid == $target/ { @[curlwpsinfo->pr_stype == SOBJ_NONE, 2] = count(); }
	END { printa("%d%d\n", @); printa("idle %d%d\n", @idle); }' -c '/bin/sleep 0.3'
like "$out" '^11$' 'pr_stype of a sleeping thread'
like "$out" '^12$' 'pr_stype of a running thread'
unlike "$out" '^idle (01|10)' 'PR_IDLE'

# ---- names of functions and files of other systems; idioms of the DTraceToolkit and the book ----
run "$DTR" -qn 'sched:genunix:cv_wait:off-cpu, sched:unix:swtch:off-cpu { @["there"] = count(); }
	sched:::off-cpu { @["here"] = count(); } END { printa("%s %@d\n", @); }' -c 'sleep 0.1'
is "$status:$(printf '%s\n' "$out" | awk 'NF { print $2 }' | sort -u | wc -l)" 0:1 \
	'functions of another kernel: the same probe'
run "$DTR" -en 'sched:genunix:cv_wait:off-cp { }'
is "$status" 1 'and an unknown name of a probe is an error'
run "$DTR" -en 'tcp:kernel::receive, udp:ip:udp_input:receive, ip:kernel::send { trace(args[2]->ip_saddr); }'
is "$status:$err" 0: 'modules of other kernels: tcp, udp and ip'
cd "$work" || exit 1
cat >job <<'E'
kill -USR1 4194304
kill -USR1 4194304
[ -e nosuch ]
E
run "$DTR" -qn '
	inline int OPT_count = 1; inline int FILTER = 1; inline string NAME = "sh";
	dtrace:::BEGIN { OPT_count ? 1 : printf("header\n"); err[0] = "none"; err[ESRCH] = "No such process"; }
	syscall:::entry /execname != "dtrace" && (! FILTER || (progenyof($target) && NAME == execname))/ {
		self->ok = 1; }
	syscall:::return /self->ok && errno != 0 && ! OPT_count/ { printf("%s\n", probefunc); }
	syscall:::return /self->ok && errno != 0 && OPT_count/ {
		this->text = err[errno] != NULL ? err[errno] : strjoin("Err#", lltostr(errno));
		@Err[execname, probefunc, this->text] = count(); }
	syscall:::return { self->ok = 0; }
	dtrace:::END /OPT_count/ { printa("%s %s %s %@d\n", @Err); }' -c 'sh ./job'
like "$out" '^sh kill No such process 2$' 'counts of errors with texts'
like "$out" '^sh (newfstatat|stat|faccessat2?|access|statx) Err#2 [1-9]' 'and without'
run "$DTR" -qn 'syscall::openat:entry /progenyof($target)/ { self->path = copyinstr(arg1); }
	syscall::openat:return /self->path != NULL && self->path != ""/ {
		this->full = self->path[0] == 0x2f ? self->path : strjoin(cwd, strjoin("/", self->path));
		printf("%s %d\n", cleanpath(this->full), errno); self->path = 0; }' -c "cat job /etc/../etc/./passwd"
like "$out" '^/etc/passwd 0$' 'absolute paths'
like "$out" "^$work/job 0\$" 'paths relative to the working directory'
run "$DTR" -qn 'syscall::openat:entry /pid == $target && copyinstr(arg1) == "flow.d"/
	{ printf("%s %s", fds[arg0].fi_pathname, fds[(uint_t)arg0].fi_name); exit(0); }' -c 'cmp -s flow.d cpp.d'
is "$out" "$(pwd -P) $(basename "$(pwd -P)")" 'fds[AT_FDCWD] is the working directory'
run "$DTR" -qn 'syscall::write:entry /progenyof($target)/ { self->buf = arg1; }
	syscall::write:return /self->buf/ { this->text = (char *)copyin(self->buf, arg0); this->text[arg0] = 0;
		printf("<%s>", stringof(this->text)); self->buf = 0; }' \
	-c 'sh -c "{ echo eight..; echo ninebyte; } >/dev/null"'
is "$status:$out:$err" '0:<eight..
><ninebyte
>:' 'a NUL after copied text'
if any_of python3; then
cat >connect.py <<'E'
import socket
a = socket.create_server(("127.0.0.1", 0))
socket.socket(socket.AF_UNIX).connect_ex("/nonexistent/socket")
socket.create_connection(a.getsockname())
free = a.getsockname(); a.close()
socket.socket().connect_ex(free)
print("port", free[1])
E
run "$DTR" -qn '
	inline int INET = 2;
	BEGIN { said[0] = "accepted"; said[ECONNREFUSED] = "refused"; }
	syscall::connect*:entry /pid == $target/ {
		this->sa = (struct sockaddr_in *)copyin(arg1, sizeof (struct sockaddr));
		this->af = this->sa->sin_family; }
	syscall::connect*:entry /pid == $target && this->af == INET/ {
		self->port = ntohs(this->sa->sin_port); self->began = timestamp;
		self->host = inet_ntop(this->af, (void *)&this->sa->sin_addr);
		this->byte = (uint8_t *)&this->sa->sin_addr.s_addr;
		self->dots = strjoin(lltostr(this->byte[0]), strjoin(".", lltostr(this->byte[3]))); }
	syscall::connect*:return /self->began/ {
		@[self->host, self->dots, self->port, said[errno]] = count(); self->began = 0; }
	END { printa("%s %s %d %s %@d\n", @); }' -c 'python3 connect.py'
port=$(printf '%s\n' "$out" | sed -n 's/^port //p')
is "$status:$(printf '%s\n' "$out" | grep '^127' | sort):$err" "0:127.0.0.1 127.1 $port accepted 1
127.0.0.1 127.1 $port refused 1:" 'a copied address used in the next clause'

# ---- IPv4 or IPv6 ----
cat >datagrams.py <<'E'
import socket
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    to = socket.socket(family, socket.SOCK_DGRAM)
    to.bind((address, 0))
    for i in range(3):
        socket.socket(family, socket.SOCK_DGRAM).sendto(b"x" * 10, to.getsockname())
E
run "$DTR" -qn 'ip:::send /pid == $target && (args[4] || args[5] != NULL)/ {
		@[args[4] != NULL ? args[4]->ipv4_saddr : args[5]->ipv6_saddr,
		    args[2]->ip_ver == 4 ? args[4]->ipv4_protostr : args[5]->ipv6_nextstr,
		    args[4] == NULL, !args[5], args[5] && args[5]->ipv6_plen == 18] = count(); }
	END { printa("%s %s %d%d%d %@d\n", @); }' -c 'python3 datagrams.py'
if [ "$(cat /proc/sys/net/ipv6/conf/lo/disable_ipv6 2>/dev/null || echo 1)" = 1 ]; then
	skip 'args[] that are NULL for the other version' 'no IPv6'
else
	is "$out" '127.0.0.1 UDP 010 3
::1 UDP 101 3' 'args[] that are NULL for the other version'
fi
fi
fi

# ---- options of wrappers, and programs without probes ----
run "$DTR" -qn 'BEGIN { printf("%d", $target); exit(0); }' "-p $$"
is "$out" $$ "'-p PID' as one argument"
run "$DTR" -qn 'nosuchlanguage$target:::sub-entry { trace(copyinstr(arg0)); }' -c true
is "$status" 1 'a program without probes of the language'
like "$err" 'process [0-9]+ has no such provider' 'and the message'

# ---- a language: names with lengths, depths, files ----
language() {
	cat >lang.d <<'E'
provider lang {
	probe sub__entry(char *name, int length, char *file, int line);
	probe sub__return(char *name, int length, char *file, int line);
};
E
	cat >lang.c <<'E'
#include "lang.h"
static char names[] = "sub1sub2sub3", file[] = "/usr/dir/main.pl";
static void sub(int depth)
{
	LANG_SUB_ENTRY(names + 4 * depth, 4, file, 10 + depth);
	if (depth < 2)
		sub(depth + 1);
	LANG_SUB_RETURN(names + 4 * depth, 4, file, 10 + depth);
}
int main(int argc, char **argv)
{
	(void)argv;
	names[12] = file[16] = 0;	/* in memory from now on */
	sub(argc > 1);
	return 0;
}
E
	"$DTR" -h -s lang.d && gcc -O1 -I. -o lang lang.c
}
if ! with_bpf 'probes in programs'; then :
elif [ "$(uname -m)" != x86_64 ] || ! any_of gcc; then
	skip 'probes in programs' 'no gcc, or another processor'
else
	language
	run "$DTR" -Zqn 'self int depth[int];
	lang*:::sub-entry { this->name = (char *)copyin(arg0, arg1 + 1); this->name[arg1] = 0;
		printf("%s:%-3d|%*s-> %s\n", basename(copyinstr(arg2)), arg3, self->depth[pid] * 2, "",
		stringof(this->name)); self->depth[pid]++; self->at[pid, self->depth[pid]] = timestamp; }
	lang*:::sub-return /self->at[pid, self->depth[pid]]/ {
		this->name = (char *)copyin(arg0, arg1 + 1); this->name[arg1] = 0;
		this->full = strjoin(strjoin(basename(copyinstr(arg2)), "."), stringof(this->name));
		self->at[pid, self->depth[pid]] = 0; self->depth[pid] -= self->depth[pid] > 0 ? 1 : 0;
		printf("%-10s|%*s<- %s\n", "main.pl", self->depth[pid] * 2, "", stringof(this->name)); }
	lang*:::sub-return /strlen(this->full) > 9/ { this->full[8] = this->full[11]; this->full[9] = 0; }
	lang*:::sub-return { @calls[pid == $target, this->full] = count(); }
	END { printa("%d %-12.11s|%4@d\n", @calls); }' -c ./lang
	is "$status:$err:$out" '0::main.pl:10 |-> sub1
main.pl:11 |  -> sub2
main.pl:12 |    -> sub3
main.pl   |    <- sub3
main.pl   |  <- sub2
main.pl   |<- sub1
1 main.pl.1   |   1
1 main.pl.2   |   1
1 main.pl.3   |   1' 'calls of a language'
fi

done_testing
