# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# vminfo compared with the kernel's counts of a process (getrusage, /proc/PID/io) and of the machine (/proc/vmstat).
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
need_types
paging=$here/tests/kernel/paging
cd "$work" || exit 1

# ---- known page faults of a program ----
cat >paging.d <<'EOF'
int on;
syscall::getppid:entry /pid == $target/ { on = !on; }
vminfo::: /on && pid == $target/ { @n[probename] = count(); @sum[probename] = sum(arg0); @other = sum(arg1); }
END { printa("%s %@d %@d\n", @n, @sum); printa("arg1 %@d\n", @other); }
EOF
run "$DTR" -q -o d -s paging.d -c "$paging file"
is "$status:$err" '0:' 'all probes, by a pattern'
said() { printf '%s\n' "$out" | awk -v n="$1" '$1 == n { print $2 }'; }
traced() { awk -v n="$1" '$1 == n { print $2, $3 }' d; }
bytes=$(said bytes)
for row in zfod:zeroed prot_fault:denied pgrec:minor; do
	n=$(said "${row#*:}")
	same "$(traced "${row%:*}")" "$n $n" "${row%:*}: $n ${row#*:}"
done
# a copy is not seen if an interrupt in the middle of the fault takes a page fault itself
between "$(traced cow_fault | sed 's/ .*//')" $(($(said copied) - 5)) "$(said copied)" \
	"cow_fault: $(said copied) copied"
if [ "$(said major)" -gt 0 ]; then
	same "$(traced maj_fault)" "$(said major) $(said major)" "maj_fault: $(said major)"
	for probe in pgpgin fspgin; do
		same "$(traced $probe | cut -d ' ' -f 2)" "$((bytes / 4096))" "$probe: arg0 are pages: $bytes bytes"
	done
	same "$(traced pgin)" "$(traced pgpgin | sed 's/ .*//') $(traced pgpgin | sed 's/ .*//')" 'pgin: operations'
else
	skip 'major faults' 'the file system keeps its files in memory'
fi
same "$(traced as_fault | sed 's/ .*//')" $(($(said minor) + $(said major) - $(said copied))) \
	'as_fault: all faults but copies and violations'
is "$(grep -c '^anonpgin\|^swapin\|^kernel_asflt' d)" 0 'no swap'
is "$(sed -n 's/^arg1 //p' d)" 0 'arg1 is 0'

# ---- the machine's counters: other processes change them, too ----
vmstat() { for i in pgmajfault pgpgin pgpgout pgfault; do sed -n "s/^$i //p" /proc/vmstat; done; }
before=$(vmstat)
run "$DTR" -qn 'vminfo:::maj_fault, vminfo:::pgpgin, vminfo:::pgpgout, vminfo:::pgrec { @[probename] = sum(arg0); }
	END { printa("%s %@d\n", @); }' -c 'dd if=/dev/zero of=new bs=256k count=16 conv=fsync'
# shellcheck disable=SC2046,SC2086
set -- $before $(vmstat)
between "$(said maj_fault)0" 0 $((($5 - $1) * 10)) "maj_fault: at most $(($5 - $1)) of the machine"
between "$(said pgpgin)0" 0 $((($6 - $2) * 10 / 4)) "pgpgin: at most $((($6 - $2) / 4)) of the machine"
between "$(said pgpgout)0" 0 $((($7 - $3) * 10 / 4)) "pgpgout: at most $((($7 - $3) / 4)) of the machine"
between "$(said pgrec)" 20 $(($8 - $4)) "pgrec: at most $(($8 - $4)) of the machine"

# ---- scripts of the guide ----
run "$DTR" -n 'vminfo:::zfod { @[execname] = count(); }' -c "$paging file"
between "$(printf '%s\n' "$out" | awk '$1 == "paging" { print $2 }')" 1000 2000 'who asks for new pages'
run "$DTR" -n 'vminfo:::prot_fault, vminfo:::maj_fault { @[execname] = sum(arg0); }' \
	-c "$paging file"
like "$out" '^  paging +[0-9]+$' 'who takes page faults'

# ---- the tool ----
run "$DTR" pagefaults -c "$paging file"
same "$(printf '%s\n' "$out" | awk '$1 == "paging" && $3 == "minor" && $4 == 1000 { print $1, $3, $4 }')" \
	'paging minor 1000' \
	'pagefaults: the stack that takes faults without I/O'
like "$out" '`main\+0x[0-9a-f]+$' 'its frames'
run "$DTR" pagefaults --files -c "$paging file"
between "$(printf '%s\n' "$out" | awk '$1 == "paging" && $3 == "minor" && $5 == "paging" { print $4 }')" 1100 1150 \
	'pagefaults --files'
run "$DTR" pagefaults --major -n 1 -c "$paging file"
is "$(printf '%s\n' "$out" | grep -c ': minor')" 0 'pagefaults --major'

# ---- lists, names, refusals ----
run "$DTR" -l -n 'vminfo:::*fault'
like "$out" ' vminfo +vmlinux +maj_fault$' 'patterns of names'
run "$DTR" -lvn vminfo:::zfod
like "$out" 'args\[0\]: uint64_t$' 'the type of the increment'
run "$DTR" -e -n 'vminfo:::hat_fault'
like "$status:$err" '^1:.*Linux has no separate layer' 'a probe that Linux cannot have: the reason'
run "$DTR" -e -n 'vminfo:::maj_faults'
like "$err" "did you mean 'vminfo:::maj_fault'" 'a name that does not exist'
run "$DTR" -qn 'vminfo:::pgrec, profile-997 /pid == $target/ { @[probename == "pgrec"] = count(); }
	END { printa("%d %@d\n", @); }' -c "$paging file"
like "$out" '^1 1[0-9]{3}$' 'together with profile'
done_testing
