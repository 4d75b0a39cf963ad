/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrays of strings: all classes, members, elements of arrays; what lies outside is a fault. An element has the strsize that
 * holds where the array is declared, which a pragma before it says. */
#pragma D option quiet
typedef string name;
string early[1];
#pragma D option strsize=16
struct s {
	int i;
	string n[2];
	char c;
	name m[2][2];
};
string a[4];
self string t[3];
this string l[2];
string by[int][2];
self string mine[int][2];
struct s v;
struct s w[2];

BEGIN
{
	a[1] = "one";
	i = 3;
	a[i] = strjoin(a[1], " and more than fits");
	a[2] = a[0] = a[1];
	printf("%s|%s|%s|%s|%d %d\n", a[0], a[1], a[2], a[i], strlen(a[3]), a[2] == a[1]);
	a[1] = 0;
	a[2] = NULL;
	printf("%d %d %d %d\n", a[1] == "", a[2] == "", a[0] > a[1], a[0][1]);
	printf("%d %d %d %d\n", sizeof (early), sizeof (a), sizeof (a[0]), sizeof (struct s));
	early[0] = "as long as it was where it is declared";
	trace(early[0]);
	trace("\n");
}

BEGIN
{
	self->t[2] = "thread";
	self->t[0] = self->t[2];
	this->l[1] = "clause";
	by[7][1] = "element";
	self->mine[7][0] = "of a thread";
	by[8][0] = by[7][1];
}

BEGIN
{
	printf("%s|%s|%s|%s|%s\n", self->t[0], self->t[1], self->t[2], this->l[0], this->l[1]);
	printf("%s|%s|%s|%s|%s\n", by[7][0], by[7][1], by[8][0], by[9][0], self->mine[7][0]);
	v.i = 1;
	v.n[v.i] = "member";
	v.c = 'c';
	v.m[1][0] = v.n[1];
	w[1] = v;
	w[1].n[0] = substr(w[1].m[1][0], 3);
	print(w[1]);
	print(a);
	this->p = (struct s *)alloca(sizeof (struct s));
	this->p->n[1] = w[1].n[0];
	print(this->p);
	@[a[0], w[1].n[0]] = count();
	seen[a[0]] = 5;
	printf("%d %s\n", seen["one"], i == 3 ? a[0] : a[1]);
}

BEGIN
{
	i = 4;
	a[i] = "outside";
}

BEGIN
{
	i = -1;
	trace(a[i]);
}

BEGIN
{
	i = 2;
	trace(self->t[i + 1]);
}

BEGIN
{
	i = 2;
	by[7][i] = "outside";
}

BEGIN
{
	printf("%s|%s|%s\n", a[0], a[3], by[7][1]);
	exit(0);
}
