/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* NULL is a pointer that compares with any, and that nothing lies behind. */
#pragma D option quiet
BEGIN { p = (char *)NULL; q = (struct task_struct *)0; }
BEGIN { printf("%d %d %d %d\n", p == NULL, NULL != q, (int64_t)NULL == 0, p ? 1 : 2); }
BEGIN { printf("%d\n", *(char *)NULL); }
ERROR { printf("fault %d at %x\n", arg4, arg5); }
