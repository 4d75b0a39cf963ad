/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pointers into arrays and structures that are variables: kept, computed with, followed later; outside they fault. */
#pragma D option quiet

int a[5], b[2][3];
struct pair { int x, y; } pairs[2], one;
int *p, *end;
void *any;
char letters[4], *letter;
uintptr_t number;

BEGIN
{
	a[0] = 100;
	a[4] = 500;
	p = a;
	end = &a[4];
	printf("%d %d %d %d\n", p[0], *(p + 4), *end, (int)(end - p));
	p[1] = 200;
	p++;
	*p += 5;
	p[1]++;
	printf("%d %d %d\n", a[1], a[2], *p);
	number = (uintptr_t)&a[0];
	printf("%d\n", *(int *)(number + 16));
	any = &b[1][0];
	((int *)any)[2] = 7;
	printf("%d %d\n", b[1][2], any == (void *)&b[1]);
}

BEGIN
{
	s = &pairs[1];
	s->y = 9;
	q = &one.y;
	*q = 4;
	m = (int *)alloca(8);
	m[1] = 6;
	printf("%d %d %d %d\n", pairs[1].y, s->y, one.y, m[1]);
	copy = *s;
	printf("%d\n", copy.y);
}

BEGIN
{
	letters[1] = 'b';
	letter = letters;
	printf("%c %s\n", letter[1], (letters[0] = 'a', letters));
	letter = &letters[1];
	this->l = (char *)NULL;
	this->l = letters;
	printf("%d\n", letter - this->l);
}

struct named { char name[6]; string text; int n; } named;
struct outer { struct named in; } outer;
string texts[3];

BEGIN
{
	outer.in.text = "text of a member";
	outer.in.name[0] = 'n';
	texts[1] = "first";
	texts[2] = "second";
	n = &outer.in;
	t = &texts[1];
	letters[2] = 'c';
	letters[3] = 'd';
}

BEGIN
{
	printf("%s|%s|%s|%s|%s|%s\n", n->text, n->name, *t, *(t + 1), stringof(letters), stringof(letter));
	n->text = "new";
	*t = strjoin(n->text, stringof(&letters[2]));
	printf("%s|%s|%d\n", outer.in.text, texts[1], *t == "newcd");
}

BEGIN { trace(p[4]); }
BEGIN { trace(p[-2]); }
BEGIN { end[1] = 1; }
BEGIN { trace(*(long *)end); }
BEGIN { trace(t[2]); }
BEGIN { trace(stringof(letter + 3)); }

BEGIN
/p[0] == 205/
{
	exit(0);
}

ERROR
{
	printf("fault %d\n", arg4);
}

END
/end[-3] == a[1]/
{
	printf("at the end %d\n", end[-3]);
}
