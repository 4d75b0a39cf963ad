/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* seed 1: an ERROR clause that always faults left code behind it that nothing reaches: refused by the kernel. */
ERROR { trace(1 / (arg1 & 0)); }
ERROR { trace(2); }
BEGIN { x = *(int *)1; }
