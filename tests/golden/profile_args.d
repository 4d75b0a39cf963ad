/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* arg0 is the kernel's PC, arg1 the program's; one of them is 0. */
profile-97 { @ticks[arg0 ? "kernel" : "user"] = count(); }
profile-97 { printf("%x %x", arg0, arg1); }
