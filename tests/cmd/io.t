# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# io compared with the kernel's own counters of a disk: a loop device on a file of the test.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
truncate -s 64M image
disk=$(losetup -f --show image 2>&1) || { echo "1..0 # SKIP no loop device: $disk"; exit 0; }
trap 'losetup -d "$disk"; tap_cleanup' EXIT
name=${disk#/dev/}

# ---- counts and sizes ----
# Reads and their bytes, writes and their bytes that the disk has completed.
stats() { awk -v d="$name" '$3 == d { printf "%.0f %.0f %.0f %.0f\n", $4, $6 * 512, $8, $10 * 512 }' /proc/diskstats; }
# BEFORE AFTER
difference() { echo "$1 $2" | awk '{ printf "%.0f %.0f %.0f %.0f\n", $5 - $1, $6 - $2, $7 - $3, $8 - $4 }'; }

cat >count.d <<EOF
#pragma D option quiet
io:::start
/args[1]->dev_statname == "$name"/
{
	@started[args[0]->b_flags & B_READ ? "read" : "write"] = count();
	bytes[arg0] = args[0]->b_bcount;
}
io:::done
/args[1]->dev_statname == "$name"/
{
	@done[args[0]->b_flags & B_READ ? "read" : "write"] = count();
	@errors = sum(args[0]->b_error || args[0]->b_resid || bytes[arg0] != args[0]->b_bcount ||
		(uintptr_t)args[0]->b_addr != arg0);
	bytes[arg0] = 0;
}
io:::done
/args[1]->dev_statname == "$name" && args[0]->b_flags & B_READ/
{
	@reads = count();
	@read = sum(args[0]->b_bcount);
}
io:::done
/args[1]->dev_statname == "$name" && args[0]->b_flags & B_WRITE/
{
	@writes = count();
	@written = sum(args[0]->b_bcount);
}
END
{
	printa("%@d %@d %@d %@d %@d\n", @reads, @read, @writes, @written, @errors);
	printa("%s %@d %@d\n", @started, @done);
}
EOF
counts() { # NAME COMMAND
	before=$(stats)
	run "$DTR" -s count.d -c "$2"
	counted=$(printf '%s\n' "$out" | head -n 1)
	is "$counted" "$(difference "$before" "$(stats)") 0" "$1"
	is "$(printf '%s\n' "$out" | awk 'NR > 1 && $2 != $3')" '' "$1: each one that starts is done, with its size"
}
counts 'writes of 96 KB: requests and bytes are those of the kernel' \
	"dd if=/dev/zero of=$disk bs=96k count=100 oflag=direct"
is "$counted" '0 0 100 9830400 0' 'and those of the program'
counts 'reads that the kernel splits' "dd if=$disk of=/dev/null bs=4M count=16 iflag=direct"
counts 'reads of one sector' "dd if=$disk of=/dev/null bs=512 count=200 iflag=direct"
is "$counted" '200 102400 0 0 0' 'and those of the program, of one sector'
counts 'data in the page cache, merged, and a flush' "dd if=/dev/zero of=$disk bs=1M count=16 conv=fsync"

run "$DTR" -qn "io:::start /args[1]->dev_statname == \"$name\"/ { @[execname, pid == \$target] = count(); }
	END { printa(\"%s %d %@d\\n\", @); }" -c "dd if=$disk of=/dev/null bs=64k count=300 iflag=direct"
is "$out" 'dd 1 300' 'each I/O starts in the thread that wants it'

# The values that the probe passes on are loaded after a clause that uses scratch memory.
run "$DTR" -qn "io:::start /args[1]->dev_statname == \"$name\" && !pending[args[1]->dev_statname]/
	{ command[arg0] = curpsinfo->pr_psargs; this->copy = (char *)alloca(8); *this->copy = 'x'; }
	io:::start { pending[args[1]->dev_statname]++; }
	io:::done /command[arg0] != NULL/ {
		printf(\"%s %d\\n\", command[arg0], pending[args[1]->dev_statname]);
	}" \
	-c "dd if=$disk of=/dev/null bs=64k count=1 iflag=direct"
is "$out" "dd if=$disk of=/dev/null bs=64k count=1 iflag=direct 1" 'the command of an I/O, in another clause'

# ---- members ----
first() { # NAME EXPRESSION WANT [COMMAND]: at the first I/O that is done
	run "$DTR" -qn "io:::done /args[1]->dev_statname == \"$name\" && !done++/ { trace($2); }" \
		-c "${4:-dd if=/dev/zero of=$disk bs=4k seek=100 count=1 oflag=direct}"
	is "$out" "$3" "$1"
}
number=${name#loop}
first 'the block in sectors of 512 bytes' 'args[0]->b_blkno' 800
first 'the size' 'args[0]->b_bcount' 4096
first 'flags of a write' 'args[0]->b_flags & (B_READ | B_WRITE | B_DONE | B_ERROR)' 258
first 'flags of a read' 'args[0]->b_flags & (B_READ | B_WRITE | B_DONE | B_ERROR)' 66 \
	"dd if=$disk of=/dev/null bs=4k count=1 iflag=direct"
first 'memory of the program' 'args[0]->b_flags & (B_PHYS | B_PAGEIO)' 32 \
	"sh -c 'dd if=/dev/urandom bs=4k count=1 2>/dev/null | dd of=$disk bs=4k count=1 iflag=fullblock oflag=direct'"
first 'no error' 'args[0]->b_error + args[0]->b_resid' 0
first 'the device' 'args[0]->b_edev' $((7 << 20 | number))
first 'the device: major' 'args[1]->dev_major' 7
first 'the device: minor' 'args[1]->dev_minor' "$number"
first 'the device: instance' 'args[1]->dev_instance' "$number"
first 'the device: driver' 'args[1]->dev_name' loop
first 'the device: name' 'args[1]->dev_statname' "$name"
first 'the device: path' 'args[1]->dev_pathname' "$disk"
first 'direct I/O has no file' 'args[2]->fi_pathname' '<none>'

# ---- errors: the image is in a file system of 1 MB ----
mkdir full
failing=$(unshare -m sh -c 'mount -t tmpfs -o size=1m none full && truncate -s 64M full/image &&
	{ dd if=/dev/zero of=full/rest bs=1M count=2; losetup -f --show full/image; }' 2>err)
good=$name name=${failing#/dev/}
trap 'losetup -d "$disk"; losetup -d "$failing"; tap_cleanup' EXIT
beyond="dd if=/dev/zero of=$failing bs=4k seek=1000 count=1 oflag=direct"
first 'no space for a write' 'args[0]->b_error ? "error" : "none"' error "$beyond"
first 'and nothing is transferred' 'args[0]->b_resid' 4096 "$beyond"
first 'and the flag' 'args[0]->b_flags & B_ERROR' 4 "$beyond"
name=$good

# ---- files: a file system of the test, mounted in a name space of its own ----
if any_of mkfs.ext4 && mkfs.ext4 -qF image 2>err; then
	mkdir mnt
	cat >files.d <<'EOF'
io:::start /args[2]->fi_name == "data"/
{
	printf("%s|%s|%s|%s|%s|%d|%x\n", args[2]->fi_name, args[2]->fi_dirname, args[2]->fi_pathname, args[2]->fi_fs,
	    args[2]->fi_mount, args[2]->fi_offset, args[0]->b_flags & B_PAGEIO);
}
EOF
	run "$DTR" -x strsize=1k -q -s files.d -c "unshare -m sh -c 'mount -t ext4 $disk mnt && mkdir mnt/d && \
		dd if=/dev/zero of=mnt/d/data bs=64k count=1 seek=1 conv=fsync'"
	is "$out" "data|$work/mnt/d|$work/mnt/d/data|ext4|$work/mnt|65536|10" 'the file whose data are written'
	sed -n '/^syscall::read:entry, syscall::write:entry/,/^```/p' "$SRC/docs/language.md" | grep -v '^```' >direct.d
	run "$DTR" -x strsize=1k -q -s direct.d -c "unshare -m sh -c 'mount -t ext4 $disk mnt && \
		dd if=/dev/zero of=mnt/d/direct bs=16k count=1 oflag=direct'"
	like "$out" "$work/mnt/d/direct 16384" 'direct I/O: the script in the documentation names the file'
else
	skip 'files' 'mkfs.ext4 is not installed'
fi

# ---- waits ----
# The thread that works for the device may not run before dd waits.
! chrt -f 1 true 2>/dev/null || first='chrt -f 1'
run "$DTR" -qn 'io:::wait-start /pid == $target/ { self->since = timestamp; @starts = count(); }
	io:::wait-done /pid == $target/ { @dones = count(); @unpaired = sum(!self->since); self->since = 0; }
	END { printa("%@d %@d %@d", @starts, @dones, @unpaired); }' \
	-c "${first-} dd if=$disk of=/dev/null bs=64k count=50 iflag=direct"
is "$(echo "$out" | awk '{ print ($1 > 0 && $2 <= $1 && $3 == 0) }')" 1 'waits begin and end in pairs' "$out"
tries=0 out=
while [ -z "$out" ] && [ $((tries += 1)) -le 50 ]; do # a fast device may be done before the thread waits
	run "$DTR" -qn 'io:::wait-start { printf("%d %d %s %s %s", args[0]->b_bcount, args[0]->b_flags,
		args[1]->dev_statname, args[2]->fi_name, args[1]->dev_name); exit(0); }' \
		-c "dd if=$disk of=/dev/null bs=64k count=500 iflag=direct"
done
is "$out" '0 0 <none> <none> <none>' 'of a wait, the I/O is not known'

# ---- names of other systems ----
for probe in io:genunix::start io:genunix:bdev_strategy:start io:mach_kernel:buf_strategy:start io::biodone:done; do
	run "$DTR" -e -n "$probe { trace(args[0]->b_bcount); }"
	is "$status:$err" 0: "$probe"
done
run "$DTR" -e -n 'io:::starts'
like "$err" "did you mean 'io:::start'" 'a name that does not exist'

# ---- tools ----
write="dd if=/dev/zero of=$disk bs=64k count=20 oflag=direct"
run "$DTR" biosnoop -d "$name" -c "$write"
is "$(printf '%s\n' "$out" | awk -v d="$name" '$3 == "dd" && $4 == d && $5 == "W" && $7 == 65536' | wc -l)" 20 \
	'biosnoop: a line for each write'
run "$DTR" biosnoop -d nosuch -c "$write"
is "$(printf '%s\n' "$out" | wc -l)" 1 'biosnoop -d of another disk'
run "$DTR" biolatency --disks --operations -c "$write"
n=$(printf '%s\n' "$out" | awk -v d="$name" '$1 == d { on = $2 == "writes" } on && /\|/ { n += $NF } END { print n }')
is "$n" 20 'biolatency: a histogram of 20 writes'
[ "$n" = 20 ] || printf '%s\n' "$out" | sed 's/^/# /'
run "$DTR" biotop -c "$write"
is "$(printf '%s\n' "$out" | awk -v d="$name" '$2 == "dd" && $3 == d { print $4, $5, $6 }')" 'W 20 1280' 'biotop'
run "$DTR" biotop -r 1 -c "sh -c 'for n in 1 2; do $write; done'"
is "$(printf '%s\n' "$out" | awk -v d="$name" 'NR > 1 { n++; good = $3 == d && $5 == 20 && $6 == 1280 && $7 > 0 }
	END { print n, good }')" '1 1' 'biotop -r: all columns of the row, and no other row'
run "$DTR" opensnoop -c "sh -c 'exec 3<count.d 4<nosuch'"
like "$out" ' sh +[0-9]+ +0 count.d$' 'opensnoop: a file that is opened'
like "$out" ' sh +-1 +2 nosuch$' 'opensnoop: a file that is not there'
run "$DTR" opensnoop -x strsize=16 -c 'cat /no/such/directory/file'
like "$out" ' cat +-1 +2 /no/such/direct\.\.\.$' 'opensnoop marks a path that was cut at strsize'
run "$DTR" opensnoop --failed -c "sh -c 'exec 3<count.d 4<nosuch'"
unlike "$out" 'count.d' 'opensnoop --failed'
run "$DTR" opensnoop -v -n sh -f nosuch -c "sh -c 'exec 3<count.d 4<nosuch'"
is "$(printf '%s\n' "$out" | sed 's/[0-9]\{4\}.*:[0-9]\{2\} *[0-9]* /DATE /')" \
	'                DATE     PID NAME               FD ERROR PATH
DATE sh                 -1     2 nosuch' 'opensnoop -v -n -f'
done_testing
