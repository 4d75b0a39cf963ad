/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declarations in all of C's forms: what is elsewhere, functions, storage without a type, types of no value, structures as keys. */
#pragma D option quiet

extern unsigned long long elsewhere, *others[2];
extern nothing;
extern int table[], deep[3][4][5];
extern float ratio;
extern struct never_defined *there, here;
extern enum never_defined_either kind;
int measure(string, const char *what, int (*how)(void *, long), ...);
char *(*chooser(int))[4];
self seen;
this count;

struct shape {
	double area;
	float side;
	long double exact;
	int (*scale)(struct shape *, int);
	int (*table[2])();
	struct never_defined *link;
};

struct point {
	int x, y;
	char name;
} a, b;

union D`either;

BEGIN
{
	self->seen = 1;
	this->count = 2;
	printf("%d %d %d\n", self->seen, this->count, (int)sizeof (struct D`shape));
	printf("%d %d %d %d\n", (int)offsetof(struct shape, side), (int)offsetof(struct shape, exact),
	    (int)offsetof(struct shape, table), (int)sizeof (int (*)(int)));

	a.x = 1;
	a.name = 'a';
	b.x = 2;
	b.name = 'b';
	found[a] = 10;
	found[b] = 20;
	self->found[b, "b"] = 30;
	@sums[a] = sum(1);
	printf("%d %d\n", found[a], found[b]);
	b.x = 1;
	b.name = 'a';
	@sums[b] = sum(2);
	printf("%d %d\n", found[b], self->found[a, "b"]);
	printa("%@d\n", @sums);
	exit(0);
}
