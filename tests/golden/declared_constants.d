/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants of declarations have the types and values that they have in a clause. */
#pragma D option quiet
enum { M = ~7u, NEXT, B = ~0u >> 1, DECIDED = 1 || 1 / 0, BRANCH = -1 ? 2 : 1 / 0, UNSIGNED = 1 ? -1 >= 0u : 7 };
enum large { SMALL = 1, LARGE = 0x80000000, LARGER };
struct sizes {
	char a[sizeof (int) - 5 > 0 ? 3 : 7];
	char b[(uint8_t)300 + (char)0x1ff + 5];
	char c[-1 < 0u ? 9 : 4];
	char d[sizeof (1 + 2L) + sizeof ('a') + sizeof ((char)1) + sizeof (1u > 0)];
	char e[(-8 >> 1) + 9];
	char f[(~0u >> 31) + 1];
	char g[(0 ? 1 : -1u) > 0 ? 6 : 5];
	char h[(_Bool)256 + (bool)0 + 1];
	unsigned i : (1 << 33 >> 30) + 3;
};
inline uint8_t cut = 0x103;
struct inlined { char a[cut]; };

BEGIN
{
	printf("%x %x %d %d %d %d\n", 0x1ffffffff & M, NEXT, B, DECIDED, BRANCH, UNSIGNED);
	printf("%d %x %x %d %d\n", SMALL, LARGE, LARGER, LARGE > 0, -1 > LARGE);
	this->l = (enum large)LARGE;
	printf("%u %d\n", this->l, this->l > 0);
	this->s = (struct sizes *)0;
	printf("%d %d %d %d ", sizeof (this->s->a), sizeof (this->s->b), sizeof (this->s->c), sizeof (this->s->d));
	printf("%d %d %d %d %d %d\n", sizeof (this->s->e), sizeof (this->s->f), sizeof (this->s->g),
	    sizeof (this->s->h), sizeof (struct inlined), sizeof (struct sizes));
	exit(0);
}
