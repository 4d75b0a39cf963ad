/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tests/picture/page.t opens in a browser: main calls parse (12) and render (4); parse calls leaf (9); render calls leaf (1). */
#pragma D option quiet
profile-97 { @[execname, ustack()] = count(); @size[execname] = quantize(uregs[R_R15]); @sum[execname, pid] = sum((int64_t)uregs[R_R15]); @most = max(pid); }
