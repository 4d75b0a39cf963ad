# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Numbers in the kernel's memory: all sizes, zeros, and addresses from which nothing can be read.
. "$SRC/tests/lib/tap.sh"
need_kernel
initial_pids || { echo "1..0 # SKIP not in the initial PID name space: members of curthread are IDs of that"; exit 0; }
cd "$work" || exit 1

# Of no page, of processes, not canonical, at the end of the address space, and the page of vsyscall(2).
n=0
while read -r type address; do
	n=$((n + 1))
	echo "BEGIN { trace(*($type *)$address); }" >>bad.d
	echo "dtr: error on enabled probe ID $n (ID 1: dtrace:::BEGIN):" \
		"invalid address ($address) in action #1 at line $n" >>bad.err
done <<'E2'
uint64_t 0xdd5000000000000
uint64_t 0x8000000000000000
uint32_t 0xffff7fffffffffff
uint64_t 0xffff800000000000
uint64_t 0xffffffffffffffff
uint64_t 0xfffffffffffffff9
uint64_t 0xffffffffff600000
uint8_t 0x7ffffffff000
uint8_t 0x0
uint16_t 0x8
E2
echo 'BEGIN { exit(0); }' >>bad.d
run "$DTR" -qs bad.d
is "$status:$out:$err" "0::$(cat bad.err)" 'wrong addresses'

# The offsets are this kernel's; a thread that runs has exit_state 0.
cat >good.d <<'E2'
#pragma D option quiet
BEGIN
{
	this->at = (uintptr_t)curthread + offsetof(struct task_struct, tgid);
	this->zero = (uintptr_t)curthread + offsetof(struct task_struct, exit_state);
	printf("%d %d %d\n", *(int32_t *)this->at == pid, *(uint16_t *)this->at == (pid & 0xffff),
	    *(uint8_t *)this->at == (pid & 0xff));
	printf("%d %d\n", (*(uint64_t *)this->at & 0xffffffff) == pid,
	    *(uint64_t *)this->at >> 32 == *(uint32_t *)(this->at + 4));
	printf("%d %d %d\n", *(uint32_t *)this->zero, *(uint16_t *)this->zero, *(uint8_t *)this->zero);
	exit(0);
}
E2
run "$DTR" -s good.d
is "$status:$out:$err" '0:1 1 1
1 1
0 0 0:' 'numbers of all sizes, and zeros'

# On these kernels an instruction reads them; the helper takes ten times as long.
if_can 'instructions read them' types || done_testing
if [ "$(uname -m)" = x86_64 ] && [ "$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null)" != 0 ] &&
	grep -q bpf_rdonly_cast /sys/kernel/btf/vmlinux; then
	"$DTR" -S -qs good.d >code 2>&1
	like "$(cat code)" 'call kernel#' 'instructions read them'
else
	skip 'instructions read them' 'the kernel has no bpf_rdonly_cast() or no JIT compiler'
fi
done_testing
