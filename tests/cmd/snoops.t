#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tools that print a line for each call: what each shows of a program that knows what it has called.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_types
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
cd "$work" || exit 1

# columns REGEX N...: these columns of the rows of $out that match
columns() {
	expression=$1
	shift
	printf '%s\n' "$out" | awk -v e="$expression" -v c="$*" '$0 ~ e { n = split(c, k, " ")
		for (i = 1; i <= n; i++) printf "%s%s", $k[i], i < n ? " " : "\n" }'
}
value() { printf '%s\n' "$out" | sed -n "s/^$1=//p"; }

cat >calls.py <<'E2'
import ctypes, os, signal, socket, time
libc = ctypes.CDLL(None, use_errno=True)
open("/proc/self/comm", "w").write("caller")

def child(work):
    if os.fork() == 0:
        try:
            work()
        finally:
            os._exit(0)
    os.wait()

def files():
    f = os.open("long", os.O_CREAT | os.O_RDWR)
    for i in range(3):
        os.fsync(f)
    os.fdatasync(f)
    libc.syncfs(f)
    d = os.open(".", os.O_RDONLY)
    os.mkdir("sub")
    for i in range(4):
        os.close(os.open("sub/short%d" % i, os.O_CREAT))
        os.unlink("sub/./short%d" % i)
    os.close(os.open("sub/by descriptor", os.O_CREAT, dir_fd=d))
    time.sleep(0.2)
    os.unlink("sub/by descriptor", dir_fd=d)
    os.close(os.open("old", os.O_CREAT))
    os.unlink("old")

def users():
    child(lambda: os.setresuid(11, 12, 13))
    child(lambda: os.setreuid(-1, 14))
    child(lambda: (os.setuid(15), libc.setfsuid(16), libc.setuid(17)))

def signals():
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.signal(signal.SIGUSR2, lambda *a: None)
    for i in range(5):
        os.kill(os.getpid(), signal.SIGUSR1)
    for i in range(2):
        os.kill(os.getpid(), signal.SIGUSR2)
    try:
        os.kill(4194304, signal.SIGUSR2)
    except ProcessLookupError:
        pass

def sockets():
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind(("127.0.0.1", 0))
    s.listen(7)
    six = socket.socket(socket.AF_INET6)
    six.bind(("::1", 0))
    six.listen(9)
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.bind(("127.0.0.2", 0))
    try:
        socket.socket().bind(("127.0.0.1", six.getsockname()[1]))
        socket.socket().bind(("192.0.2.1", 0))
    except OSError as e:
        print("error=%d" % e.errno)
    socket.socket(socket.AF_UNIX).bind("\0dtr.%d" % os.getpid())
    print("four=%d\nsix=%d\nudp=%d" % (s.getsockname()[1], six.getsockname()[1], u.getsockname()[1]))
    print("space=%d" % os.stat("/proc/self/ns/net").st_ino)

def slow():
    r, w = os.pipe()
    if os.fork() == 0:
        time.sleep(0.3)
        os.write(w, b"slow")
        os._exit(0)
    os.read(r, 100)
    f = os.open("data", os.O_CREAT | os.O_RDWR)
    for i in range(6):
        os.write(f, b"x" * 1000)

import sys
for name in sys.argv[1:]:
    globals()[name]()
E2
touch old
job() { echo "python3 $work/calls.py $*"; }

run "$DTR" syncsnoop -c "$(job files)"
is "$(columns ' caller ' 4 | tr '\n' ' ')" 'fsync fsync fsync fdatasync syncfs ' 'syncsnoop'

rm -rf sub long && touch old
run "$DTR" filelife -c "$(job files)"
is "$(printf '%s\n' "$out" | sed -n "s,.* caller .* $work/,,p")" 'sub/short0
sub/short1
sub/short2
sub/short3
sub/by descriptor' 'filelife: files that were created and removed'
between "$(columns 'by descriptor' 4)" 0.2 60 'filelife: the age of a file'

run "$DTR" setuids -c "$(job users)"
if [ "$(id -u)" = 0 ]; then
	is "$(columns ' caller ' 4 5 6 7 8 9)" '0 setresuid ruid=11 euid=12 suid=13 (0)
0 setreuid ruid=-1 euid=14 (0) 
0 setuid uid=15 (0)  
15 setfsuid uid=16 (15)  
15 setuid uid=17 (-1)  ' 'setuids'
else
	is "$(columns ' caller ' 5 | sort -u | tr '\n' ' ')" 'setfsuid setresuid setreuid setuid ' 'setuids'
fi

run "$DTR" sigsnoop -c "$(job signals)"
is "$(columns ' caller +(10|12) ' 4 6 | sort | uniq -c | awk '{ print $1, $2, $3 }')" '5 10 1
2 12 0' 'sigsnoop: ignored and delivered signals'
run "$DTR" sigsnoop -k -s USR2 -c "$(job signals)"
is "$(columns ' caller ' 4 6 | sort | uniq -c | awk '{ print $1, $2, $3 }')" '1 12 -3
2 12 0' 'sigsnoop -k -s: system calls'
is "$(columns ' -3 *$' 5)" 4194304 'sigsnoop -k: the target'
run "$DTR" sigsnoop --failed -s USR1 -c "$(job signals)"
is "$(columns ' caller ' 6 | sort | uniq -c | awk '{ print $1, $2 }')" '5 1' 'sigsnoop --failed'

run "$DTR" bindsnoop -c "$(job sockets)"
is "$(columns ' caller ' 4 5 6 7 8)" "TCP 127.0.0.1 $(value four) Rr 0
TCP ::1 $(value six) .. 0
UDP 127.0.0.2 $(value udp) .. 0
TCP 127.0.0.1 $(value six) .. 0" 'bindsnoop: addresses, ports and options'
run "$DTR" bindsnoop -E -U -c "$(job sockets)"
is "$(columns ' 192\.0\.2\.1 ' 2 3)" "$(id -u) -$(value error)" 'bindsnoop -E -U: a call that fails'
run "$DTR" bindsnoop -P 1 -c "$(job sockets)"
is "$(columns ' caller ' 4)" '' 'bindsnoop -P: only this port'

run "$DTR" solisten -c "$(job sockets)"
is "$(columns ' caller ' 3 4 5 6 7)" "0 7 TCPv4 $(value four) 127.0.0.1
0 9 TCPv6 $(value six) ::1" 'solisten'
run "$DTR" solisten --show-netns -c "$(job sockets)"
is "$(columns ' caller ' 3 | sort -u)" "$(value space)" 'solisten --show-netns'

run "$DTR" fileslower -a 200 -c "$(job slow)"
is "$(columns ' caller ' 4 5)" 'R 4' 'fileslower -a: a read of a pipe that waits'
between "$(columns ' caller ' 6)" 290 60000 'fileslower: milliseconds'
run "$DTR" fileslower 0 -c "$(job slow)"
is "$(columns " caller .* $work/data\$" 4 5 | sort | uniq -c | awk '{ print $1, $2, $3 }')" '6 W 1000' \
	'fileslower 0: all writes of a file'
unlike "$out" '(unknown|pipe)' 'fileslower: only files'

# ---- rates ----
run "$DTR" vfsstat 500ms 2 -c 'sleep 30'
is "$status:$(printf '%s\n' "$out" | grep -c '^2')" 0:2 'vfsstat: intervals'
run "$DTR" vfsstat -c "sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=3000; sleep 1.2'"
between "$(printf '%s\n' "$out" | awk '/^2/ { n += $6 } END { print n }')" 1500 6000 'vfsstat: writes'
run "$DTR" pidpersec -c "sh -c 'for i in 1 2 3 4 5 6 7; do (:); done; sleep 1.2; :'"
is "$(printf '%s\n' "$out" | awk '/PIDs.sec: / { n += $NF } END { print n }')" 8 'pidpersec: children of a shell'

# ---- in a mount name space of its own ----
cat >mounts.sh <<'E2'
mount -t tmpfs -o size=1m "a b" sub && umount sub
umount sub 2>/dev/null
stat -Lc space=%i /proc/self/ns/mnt
E2
if unshare -m sh -c 'mount -t tmpfs none sub' 2>/dev/null; then
	run "$DTR" mountsnoop -c 'unshare -m sh ./mounts.sh'
	mount='mount("a b", ".*/sub", "tmpfs", 0x0, "size=1m") = 0$'
	is "$(printf '%s\n' "$out" | grep -c " $mount\| move_mount(.*sub.*) = 0\$")" 1 'mountsnoop: a mount'
	is "$(printf '%s\n' "$out" | sed -n 's/.*umount2(".*sub", 0x[0-9a-f]*) = //p' | tr '\n' ' ')" '0 -22 ' \
		'mountsnoop: unmounts'
	is "$(columns 'umount2' 4 | sort -u)" "$(value space)" 'mountsnoop: the name space'
else
	skip mountsnoop 'file systems cannot be mounted'
fi
done_testing
