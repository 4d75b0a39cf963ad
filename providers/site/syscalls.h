/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D expressions for sites at the tracepoints of system calls (providers/site/site.h). The words of the context are the
 * address of struct pt_regs, then the number of the call (sys_enter) or its result (sys_exit). A 32-bit process
 * (COMPAT) uses another table of numbers. The numbers: arch/.../syscalls/ and include/uapi/asm-generic/unistd.h of the
 * kernel.
 *
 * Ownership: constants. Errors: none.
 */
#ifndef PROVIDERS_SITE_SYSCALLS_H
#define PROVIDERS_SITE_SYSCALLS_H

#define REGS "((struct pt_regs *)_raw0)"
/* Expressions that are true if the call's number N is one of these. */
#define ONE_OF1(n, a) n " == " #a
#define ONE_OF2(n, a, b) ONE_OF1(n, a) " || " ONE_OF1(n, b)
#define ONE_OF4(n, a, b, c, d) ONE_OF2(n, a, b) " || " ONE_OF2(n, c, d)
#define ONE_OF5(n, a, b, c, d, e) ONE_OF4(n, a, b, c, d) " || " ONE_OF1(n, e)
#define ONE_OF3(n, a, b, c) ONE_OF2(n, a, b) " || " ONE_OF1(n, c)
/* By the tables of 64-bit and of 32-bit processes. */
#define CALL(of64, of32) "(" COMPAT " ? " of32 " : " of64 ")"

#if defined(__x86_64__)
#define COMPAT "(curthread->thread_info.status & 2)"
#define N "(int)" REGS "->orig_ax"
#define PATH "(" COMPAT " ? (" EXEC32_AT " ? " REGS "->cx : " REGS "->bx) : " EXEC_AT " ? " REGS "->si : " REGS "->di)"
#define EXEC_AT N " == 322"
#define EXEC32_AT N " == 358"
#define FORK CALL(ONE_OF4(N, 56, 57, 58, 435), ONE_OF4(N, 2, 120, 190, 435))
#define EXEC CALL(ONE_OF2(N, 59, 322), ONE_OF2(N, 11, 358))
#define SIGWAIT CALL(ONE_OF1(N, 128), ONE_OF2(N, 177, 421))
#define READS CALL(ONE_OF5(N, 0, 17, 19, 295, 327), ONE_OF5(N, 3, 145, 180, 333, 378))
#define WRITES CALL(ONE_OF5(N, 1, 18, 20, 296, 328), ONE_OF5(N, 4, 146, 181, 334, 379))
#define COPIES CALL(ONE_OF2(N, 40, 326), ONE_OF3(N, 187, 239, 377))
#define MESSAGES CALL(ONE_OF2(N, 69, 70), ONE_OF2(N, 400, 401))
#define SEMAPHORES CALL(ONE_OF2(N, 65, 220), ONE_OF1(N, 420))
/* Arguments, when the call begins and when it ends. */
#define ARG0 CALL(REGS "->di", REGS "->bx")
#define ARG1 CALL(REGS "->si", REGS "->cx")
#define ARG2 REGS "->dx"
#define ARG3 CALL(REGS "->r10", REGS "->si")
#define ARG4 CALL(REGS "->r8", REGS "->di")
#define OPENS CALL(ONE_OF4(N, 2, 85, 257, 437), ONE_OF4(N, 5, 8, 295, 437))
#define CLOSE CALL(ONE_OF1(N, 3), ONE_OF1(N, 6))
#define FSTAT CALL(ONE_OF1(N, 5), ONE_OF2(N, 108, 197))
#define FSTATAT CALL(ONE_OF1(N, 262), ONE_OF1(N, 300))
#define STATX CALL(ONE_OF1(N, 332), ONE_OF1(N, 383))
#define SETATTR CALL(ONE_OF3(N, 77, 91, 93), ONE_OF5(N, 93, 94, 95, 194, 207))
#define SEEK CALL(ONE_OF1(N, 8), ONE_OF2(N, 19, 140))
#define MAP CALL(ONE_OF1(N, 9), ONE_OF1(N, 192))
#define IOCTL CALL(ONE_OF1(N, 16), ONE_OF1(N, 54))
#define FCNTL CALL(ONE_OF1(N, 72), ONE_OF2(N, 55, 221))
#define FLOCK CALL(ONE_OF1(N, 73), ONE_OF1(N, 143))
#define FSYNC CALL(ONE_OF2(N, 74, 75), ONE_OF2(N, 118, 148))
#define READDIR CALL(ONE_OF2(N, 78, 217), ONE_OF2(N, 141, 220))
#define SPACE CALL(ONE_OF1(N, 285), ONE_OF1(N, 324))
#elif defined(__aarch64__)
#define COMPAT "(curthread->thread_info.flags & 0x400000)"
#define N REGS "->syscallno"
#define PATH "(" N " == 281 || " N " == 387 ? " REGS "->regs[1] : " REGS "->orig_x0)"
#define FORK CALL(ONE_OF2(N, 220, 435), ONE_OF4(N, 2, 120, 190, 435))
#define EXEC CALL(ONE_OF2(N, 221, 281), ONE_OF2(N, 11, 387))
#define SIGWAIT CALL(ONE_OF1(N, 137), ONE_OF2(N, 177, 421))
#define READS CALL(ONE_OF5(N, 63, 65, 67, 69, 286), ONE_OF5(N, 3, 145, 180, 361, 392))
#define WRITES CALL(ONE_OF5(N, 64, 66, 68, 70, 287), ONE_OF5(N, 4, 146, 181, 362, 393))
#define COPIES CALL(ONE_OF2(N, 71, 285), ONE_OF3(N, 187, 239, 391))
#define MESSAGES CALL(ONE_OF2(N, 188, 189), ONE_OF2(N, 301, 302))
#define SEMAPHORES CALL(ONE_OF2(N, 192, 193), ONE_OF3(N, 298, 312, 420))
#define ARG0 REGS "->orig_x0"
#define ARG1 REGS "->regs[1]"
#define ARG2 REGS "->regs[2]"
#define ARG3 REGS "->regs[3]"
#define ARG4 REGS "->regs[4]"
#define OPENS CALL(ONE_OF2(N, 56, 437), ONE_OF4(N, 5, 8, 322, 437))
#define CLOSE CALL(ONE_OF1(N, 57), ONE_OF1(N, 6))
#define FSTAT CALL(ONE_OF1(N, 80), ONE_OF2(N, 108, 197))
#define FSTATAT CALL(ONE_OF1(N, 79), ONE_OF1(N, 327))
#define STATX CALL(ONE_OF1(N, 291), ONE_OF1(N, 397))
#define SETATTR CALL(ONE_OF3(N, 46, 52, 55), ONE_OF5(N, 93, 94, 95, 194, 207))
#define SEEK CALL(ONE_OF1(N, 62), ONE_OF2(N, 19, 140))
#define MAP CALL(ONE_OF1(N, 222), ONE_OF1(N, 192))
#define IOCTL CALL(ONE_OF1(N, 29), ONE_OF1(N, 54))
#define FCNTL CALL(ONE_OF1(N, 25), ONE_OF2(N, 55, 221))
#define FLOCK CALL(ONE_OF1(N, 32), ONE_OF1(N, 143))
#define FSYNC CALL(ONE_OF2(N, 82, 83), ONE_OF2(N, 118, 148))
#define READDIR CALL(ONE_OF1(N, 61), ONE_OF2(N, 141, 217))
#define SPACE CALL(ONE_OF1(N, 47), ONE_OF1(N, 352))
#else
#error "which system calls fork, exec, read, write and wait for signals?"
#endif

#endif
