/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading is enough to fault. */
#pragma D option quiet
BEGIN { *(char *)NULL; printf("never\n"); }
BEGIN { ((struct task_struct *)NULL)->pid; printf("never\n"); }
ERROR { printf("Hit an error!\n"); }
