#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tracepoints of modules: of one that is loaded, with their types, and of one that is loaded later. The guest has ext4
# and the modules that it needs.
. "$SRC/tests/lib/tap.sh"
cd "$work" || exit 1
[ -d /modules ] || { echo '1..0 # SKIP needs the modules of tests/vm/run'; exit 0; }
[ ! -d /sys/module/ext4 ] || { echo '1..0 # SKIP ext4 is loaded already'; exit 0; }
disk=$(losetup -f)
truncate -s 32M image
losetup "$disk" image
mke2fs -q -t ext4 "$disk" || exit 1
mkdir mounted

# ---- before they are loaded ----
run "$DTR" -l -n sdt:ext4::ext4_sync_file_enter
like "$status $err" '^1 .*module ext4 is not loaded \(with -Z, dtr waits for it\)' 'a module that is not loaded'
"$DTR" -q -Z -o later -n 'BEGIN { printf("ready\n"); }
	sdt:ext4::ext4_sync_file_enter { @[probemod, probename, execname] = count(); }
	END { printa("%s %s %s %@d\n", @); }' 2>later.err &
tracer=$!
children="$children $tracer"
wait_for ready later
for m in crc16 crc32c_generic mbcache jbd2 ext4; do
	[ ! -e "/modules/$m.ko" ] || insmod "/modules/$m.ko"
done
mount -t ext4 "$disk" mounted || exit 1
for i in 1 2 3; do
	sleep 1
	dd if=/dev/zero of="mounted/later$i" bs=4k count=1 conv=fsync 2>/dev/null
done
kill -INT "$tracer"
wait "$tracer"
is "$(grep -v ready later)" 'ext4 ext4_sync_file_enter dd 3' 'a module that is loaded later'
is "$(cat later.err)" '' 'a module that is loaded later: no message'

# ---- when they are loaded ----
run "$DTR" -l -n 'sdt:ext4::'
between "$(printf '%s\n' "$out" | grep -c ' ext4 .* ext4_')" 50 1000 'sdt:ext4:: lists the tracepoints of the module'
run "$DTR" -lv -n sdt:ext4::ext4_sync_file_enter
like "$out" 'args\[0\]: struct file \*' 'arguments have the types of the module'
cat >sync.sh <<'S'
for i in 1 2 3 4 5; do dd if=/dev/zero of=mounted/x$i bs=4k count=1 conv=fsync; done
for i in 1 2 3; do dd if=/dev/zero of=mounted/y$i bs=4k count=1 conv=fdatasync; done
S
run "$DTR" -q -n 'sdt:ext4::ext4_sync_file_enter /progenyof($target)/ {
		@[stringof(args[0]->f_path.dentry->d_name.name), args[1]] = count(); }
	sdt:jbd2::jbd2_* { @jbd2[probemod] = count(); }
	END { printa("%s %d %@d\n", @); printa("commits %s %@d\n", @jbd2); }' -c 'sh sync.sh'
is "$(printf '%s\n' "$out" | grep '^[xy][0-9] ' | sort)" "$(printf 'x%s 0 1\n' 1 2 3 4 5; printf 'y%s 1 1\n' 1 2 3)" \
	'names of files from the arguments'
like "$out" '^commits jbd2 ' 'the module that it needs'
umount mounted
losetup -d "$disk"
done_testing
