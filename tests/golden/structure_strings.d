/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Members that are strings, and strings behind pointers. */
#pragma D option quiet
struct s {
	int i;
	string n;
	string m;
};
struct s v;
self struct s w;
struct s a[int];

BEGIN
{
	v.i = 2;
	v.n = "abc";
	v.m = "a text";
	self->w = v;
	a[1].n = strjoin(self->w.n, v.n);
	self->w.n = execname;
	printf("%s|%s|%s|%s|%s|%d\n", v.n, v.m, self->w.n, a[1].n, a[2].n, sizeof (v));
	this->p = (string *)alloca(256);
	*this->p = v.n;
	v.n = 0;
	printf("%s|%s|%d\n", *this->p, v.n, strlen(v.m));
	@[v.m, v.i] = count();
}
