/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Part of providers/site/syscalls.h: D expressions about a system call of arm64, and of 32-bit Arm. */
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
