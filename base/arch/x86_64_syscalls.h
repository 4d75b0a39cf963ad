/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Part of providers/site/syscalls.h: D expressions about a system call of x86-64, and of i386. */
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
