/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A translation by pointer in a condition or a comparison is a pointer to what it is translated from. */
#pragma D option quiet

struct metric { int mm; };
struct imperial { int inches; string kind; };
struct unit { int n; };

translator struct imperial <struct metric *m> {
	inches = m == NULL ? -1 : m->mm / 25;
	kind = m == NULL ? "none" : "length";
};

translator struct unit <int i> {
	n = i;
};

struct holder { int before; struct metric length; } all;
inline struct imperial *there = xlate <struct imperial *> (&all.length);
inline struct imperial *again = xlate <struct imperial *> (&all.length);
inline struct imperial *nowhere = xlate <struct imperial *> ((struct metric *)0);
inline struct unit *zero = xlate <struct unit *> (0);
inline struct unit *none = xlate <struct unit *> (-1);

BEGIN
/there && !nowhere && there != NULL && nowhere == NULL && 0 == nowhere/
{
	all.length.mm = 50;
	printf("%d %s\n", there != NULL ? there->inches : nowhere->inches, nowhere ? "yes" : nowhere->kind);
	printf("%d %d %d\n", there == again, there == nowhere, there == (void *)&all.length);
	printf("%d %d %d\n", zero != NULL, none != NULL, xlate <struct unit *> (1) == xlate <struct unit *> (2));
	if (nowhere)
		printf("not printed\n");
	else if (there || nowhere)
		printf("%d\n", there ^^ nowhere);
	exit(0);
}
