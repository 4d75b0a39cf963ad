/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int x1 = x0 + x0;
inline int x2 = x1 + x1;
inline int x3 = x2 + x2;
inline int x4 = x3 + x3;
inline int x5 = x4 + x4;
inline int x6 = x5 + x5;
inline int x7 = x6 + x6;
inline int x8 = x7 + x7;
inline int x9 = x8 + x8;
inline int x10 = x9 + x9;
inline int x11 = x10 + x10;
inline int x12 = x11 + x11;
inline int x13 = x12 + x12;
inline int x14 = x13 + x13;
inline int x15 = x14 + x14;
inline int x16 = x15 + x15;
inline int x17 = x16 + x16;
inline int x18 = x17 + x17;
inline int x19 = x18 + x18;
inline int x20 = x19 + x19;
inline int x21 = x20 + x20;
inline int x22 = x21 + x21;
inline int x23 = x22 + x22;
inline int x24 = x23 + x23;
inline int x25 = x24 + x24;
inline int x26 = x25 + x25;
inline int x27 = x26 + x26;
inline int x28 = x27 + x27;
inline int x29 = x28 + x28;
inline int x30 = x29 + x29;
inline int x31 = x30 + x30;
inline int x32 = x31 + x31;
inline int x33 = x32 + x32;
inline int x34 = x33 + x33;
inline int x35 = x34 + x34;
inline int x36 = x35 + x35;
inline int x37 = x36 + x36;
inline int x38 = x37 + x37;
inline int x39 = x38 + x38;
inline int x0 = pid;
BEGIN
{
	trace(x39);
}
