/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A floating-point number as a key: shown and sorted as a number. */
#pragma D option quiet
union both { unsigned long bits; double d; } u;
union half { unsigned int bits; float f; } h;
BEGIN
{
	h.bits = 0xc0490fdb;
	u.bits = 0x400921fb54442d18; @["pi", u.d, h.f] = count();
	u.bits = 0xbff8000000000000; @["-1.5", u.d, h.f] = count();
	u.bits = 0x4341c37937e08000; @["1e16", u.d, h.f] = count();
	u.bits = 0x7ff0000000000000; @["inf", u.d, h.f] = count();
	u.bits = 0x3fb999999999999a; @["0.1", u.d, h.f] = count();
	setopt("aggsortkey"); setopt("aggsortkeypos", "1");
	trace(u.d);
	printa(@);
	printa("%s %.3f %g %@d\n", @);
	clear(@);
	trunc(@);
	exit(0);
}
