/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Accesses outside of scratch memory, of kernel memory, of processes. */
#pragma D option quiet
BEGIN { this->p4 = (char *)alloca(10); *(this->p4 + 16) = 1; }
BEGIN { this->p5 = (char *)alloca(10); this->p5[-1] = 1; }
BEGIN { this->p6 = (char *)alloca(10); trace(*(uint64_t *)(this->p6 + 9)); }
BEGIN { this->p7 = (char *)alloca(0); this->p7[0] = 1; printf("fits\n"); } this char *none;
BEGIN { trace(this->none[0]); }
BEGIN { alloca(8192 + pid / pid); printf("not printed\n"); }
BEGIN { alloca(8000); alloca(100); printf("fits\n"); }
BEGIN { alloca(8000); alloca(200); }
BEGIN { alloca(0 - pid / pid); }
BEGIN { *(int *)0xffff888000000000 = 1; }
BEGIN { *(int *)0 = 1; }
BEGIN { copyin(0x7f0000000003, 2); }
BEGIN { copyinstr(0x7f0000000001); }
BEGIN { this->p17 = (char *)alloca(8); copyinto(0x7f0000000000, 9, this->p17); }
BEGIN { copyinto(0x7f0000000000, 2, (char *)0xffff888000000000); }
BEGIN { bcopy((char *)0xffff888000000000, alloca(8), 5); }
BEGIN { this->p20 = (char *)alloca(8); bcopy(this->p20 + 1, this->p20, 8); }
BEGIN { trace(*(userland int *)0xffff888000000000); }
BEGIN { trace(stringof((userland char *)8)); }
BEGIN { trace(stringof((char *)alloca(8) + 8)); }
BEGIN { tracemem(alloca(8) , 4); tracemem((char *)8, 4); }
BEGIN { tracemem((char *)alloca(8) - 1, 4); }
BEGIN { tracemem(alloca(1), 20); }
BEGIN { this->p27 = (char *)copyin(0x7f0000000000, 1); this->p27[1] = 0; printf("fits\n"); }
BEGIN { this->p28 = (char *)copyin(0x7f0000000000, 1); this->p28[2] = 0; }
ERROR { printf("epid %d fault %d: %x\n", arg1, arg4, arg5); }
