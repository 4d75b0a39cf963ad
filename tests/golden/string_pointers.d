/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Strings as pointers to characters: the rest of one, a pointer into a variable, a pointer to a copy. */
#pragma D option quiet
char *p, *k;
void *v;
struct s { char *name; int n; } s;
string a[int];
inline char *const_name = "constant";
BEGIN
{
	g = "abcdef";
	this->l = "ghijkl";
	self->t = "mnopqr";
	a[1] = "stuvwx";
	this->i = 2;
	this->b = -1LL;
	printf("%s %s %s %s %s\n", g + 1, 1 + this->l, self->t + this->i, a[1] + 5, "yz" + 1);
	printf("[%s] [%s] [%s] [%s] [%s]\n", g + 6, g + 7, g - 1, g - this->b, g + 0x100000000);
	printf("%c %c %d %d\n", *(g + 2), (this->l + 1)[1], strlen(a[1] + 2), g + 1 == "bcdef");
	printf("%s %s\n", strjoin(g + 4, probename + 3), execname + 0 == execname ? "same" : "differs");
	p = probeprov;
	printf("%c %s %d %s\n", p[0], stringof(p), p == "dtrace", p);
	p = this->l;
	s.name = self->t;
	printf("%s %c %s %d\n", p, *(s.name + 1), s.name, (char *)this->l == p);
	printf("%s %s %c\n", stringof((char *)a[1]), stringof((uint8_t *)(void *)"text" + 1), *(char *)"u");
	v = "void";
	printf("%s %s\n", stringof(v), const_name);
	printf("%s\n", (string)(uintptr_t)p);
	k = g;
	k[0] = 'A';
	k[1] = 'B';
	k[4] = '\0';
	*(char *)g = 'X';
	printf("%s %s %d %c\n", g, k, k == g, *(char *)g);
	a[2] = g;
	@[g] = count();
	@["XBcd"] = count();
	printf("%s %d %s\n", a[2], a[2] == "XBcd", strjoin(g, "!"));
}

/* The variable is still there, copies in scratch memory are not. */
BEGIN { k[4] = 'e'; printf("%s %s %s\n", g, stringof(k), stringof(k + 3)); }
BEGIN { g = "new"; printf("%s %d\n", stringof(k), k[3]); }
BEGIN { trace(k[strlen(g)]); trace(stringof(k - 1)); }
BEGIN { trace(stringof(p)); }
BEGIN { this->d = (char *)alloca(8); bcopy(k, this->d, 3); printf("%s\n", stringof(this->d)); exit(0); }
