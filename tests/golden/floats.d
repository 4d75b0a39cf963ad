/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Floating-point objects are shown; nothing is computed with them. */
#pragma D option quiet
struct s { float f; double d; long double l; } s;
union both { unsigned long bits; double d; } u;
union half { unsigned int bits; float f; } h;
double copy;
BEGIN
{
	u.bits = 0x400921fb54442d18;
	h.bits = 0xc0490fdb;
	copy = u.d;
	s.d = u.d;
	s.f = h.f;
	printf("%f %e %g %.3f|%10.2f|%-10.2f|%010.2f|%+g\n", u.d, u.d, u.d, u.d, u.d, u.d, u.d, u.d);
	printf("%f %.10g %f %G %f\n", h.f, h.f, copy, s.f, s.l);
	this->p = (double *)alloca(16);
	bcopy(&u.d, this->p + 1, 8);
	printf("%.*f %*g\n", 2, this->p[1], 8, *this->p);
	u.bits = 0x7ff0000000000000;
	printf("[%05f] [%E]\n", u.d, u.d);
	tracemem(&u.d, 8);
	trace(copy);
	trace(" ");
	trace(s.f);
	exit(0);
}
