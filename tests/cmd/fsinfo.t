# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fsinfo: operations on files, of programs that do a known number of them.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
head -c 100000 /dev/zero >from

COUNTS='fsinfo::: /pid == $target && (args[0]->fi_name == "from" || args[0]->fi_name == "to")/ {
		@[args[0]->fi_name, probename] = count(); @b[args[0]->fi_name, probename] = sum(arg1); }
	END { printa("%s %s %@d %@d\n", @, @b); }'
rows() { # NAME: its operations that the program certainly does
	printf '%s\n' "$out" | grep -E "^$1 (open|create|read|write|fsync|setattr|space|readdir) " | sort
}
run "$DTR" -qn "$COUNTS" -c 'dd if=from of=to bs=1000 count=50 conv=fsync status=none'
is "$status:$err:$(rows from)" '0::from open 1 0
from read 50 50000' 'reads'
is "$(rows to)" 'to create 1 0
to fsync 1 0
to open 1 0
to write 50 50000' 'writes to a new file'
run "$DTR" -qn "$COUNTS" -c 'dd if=from of=to bs=1000 count=5 skip=95 seek=10 status=none'
is "$(rows to)" 'to open 1 0
to setattr 1 0
to write 5 5000' 'an old file that dd truncates'
like "$out" '^from seek [1-9][0-9]* 0$' 'seeks'
if command -v fallocate >/dev/null; then
	run "$DTR" -qn "$COUNTS" -c 'fallocate -l 100 to'
	like "$out" '^to space 1 0$' 'room for a file'
else
	skip 'room for a file' 'no fallocate'
fi
if command -v flock >/dev/null; then
	run "$DTR" -qn "$COUNTS" -c 'flock from true'
	like "$out" '^from frlock 1 0$' 'a lock'
else
	skip 'a lock' 'no flock'
fi
mkdir to.d
run "$DTR" -qn 'fsinfo:::readdir, fsinfo:::close /pid == $target && args[0]->fi_name == "to.d"/ {
	@[probename] = count(); } fsinfo:::getattr, fsinfo:::map /pid == $target/ { @[probename] = count(); }
	END { printa("%s %@d\n", @); }' -c "ls to.d"
like "$out" '^readdir 2$' 'a directory, and its end'
like "$out" '^close 1$' 'the directory is closed'
if command -v ldd >/dev/null; then like "$out" '^map [1-9]' 'files that are mapped'
else skip 'files that are mapped' 'no libraries'; fi
like "$out" '^getattr [1-9]' 'attributes of open files'
run "$DTR" -qn 'fsinfo:::write /pid == $target/ { printf("%d %s %s %s %d\n", arg1, args[0]->fi_pathname,
	args[0]->fi_fs, args[0]->fi_mount, args[0]->fi_oflags & O_APPEND); }' -c 'sh -c "echo five. >>to"'
case $(stat -c %m .) in /*) at=$(stat -c %m .) ;; *) at=/tmp ;; esac
is "$out" "6 $(pwd -P)/to $(stat -f -c %T . | sed 's,ext2/ext3,ext4,') $at $((02000))" 'the file'
if command -v perl >/dev/null; then
	run "$DTR" -qn 'fsinfo:::close /pid == $target && args[0]->fi_name == "<none>"/ { @["fired"] = count(); }
		syscall::close:return /pid == $target && errno == EBADF/ { @["failed"] = count(); }
		END { printa("%s %@d\n", @); }' -c "perl -MPOSIX -e POSIX::close(99)"
	is "$out" 'failed 1' 'a descriptor that is not open'
else
	skip 'a descriptor that is not open' 'no perl'
fi
run "$DTR" -n 'fsinfo:::remove { }'
is "$status" 1 'an operation without a file is refused'
like "$err" 'have no file here: use syscall::unlink' 'with what to use'
run "$DTR" -ln 'fsinfo:::nosuch*'
unlike "$err" 'created when named in full' 'a pattern that matches none'
run "$DTR" -n 'sdt:::interrupt-start { }'
like "$err" 'another name and other arguments: sdt:::irq_handler_entry' 'sdt has names of its own'

done_testing
