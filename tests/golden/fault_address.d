/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An address that cannot be read; the same with memory there. */
#pragma D option quiet
profile-97 { this->p = (int *)arg0; printf("%x\n", *this->p); }
