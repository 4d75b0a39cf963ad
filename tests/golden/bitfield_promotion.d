/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A bit-field is an int where an int holds all of its values, and so is what was assigned to it. */
#pragma D option quiet
struct bits {
	unsigned a : 3;
	int b : 5;
	unsigned c : 32;
	unsigned long d : 31;
	unsigned long e : 32;
	unsigned long f : 40;
	uint8_t g : 8;
	unsigned h : 1;
};
struct bits s;

BEGIN
{
	s.a = 1;
	s.b = -3;
	s.c = s.d = s.e = s.f = s.g = s.h = 1;
	printf("%d %d %d %d ", s.a - 5 < 0, s.b - 5 < 0, s.c - 5 < 0, s.d - 5 < 0);
	printf("%d %d %d %d\n", s.e - 5 < 0, s.f - 5 < 0, s.g - 5 < 0, s.h - 5 < 0);
	printf("%d %d %d %d %d %d\n", -s.a < 0, ~s.a, -1 < s.a, -s.c < 0, -1 < s.c, -1 < s.d);
	printf("%d %d %d %d\n", sizeof (-s.a), sizeof (+s.d), sizeof (s.e + 0), sizeof (-s.f));
	printf("%d %d %d\n", (s.a = 9) - 5 < 0, (s.a += 7) - 5 < 0, (s.a++) - 5 < 0);
	printf("%d %d %d\n", (1 ? s.a : 0) - 5 < 0, (0, s.a) - 5 < 0, -1 >> s.a);
	s.a = 6;
	s.a /= -2;
	s.h -= 5;
	s.d *= 4;
	printf("%d %d %d %d\n", s.a, s.h, s.d, (s.d << 30) > 0);
	this->x = -6;
	this->x /= s.a;
	printf("%d %d\n", this->x, (int)this->x % s.a);
	exit(0);
}
