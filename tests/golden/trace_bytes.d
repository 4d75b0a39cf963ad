/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D option quiet
struct w { int c[6]; char b[3]; };
this struct w w;
BEGIN { this->w.c[0] = 72; this->w.c[1] = 0x20ac; printf("[%ws][%-5ws][%.1ws]\n", this->w.c, this->w.c, this->w.c); trace(this->w); trace(this->w.c); this->w.b[0]='x'; trace(this->w.b); trace((uint64_t)5); printf("\n"); exit(0); }
