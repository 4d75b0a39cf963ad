/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A pointer to a copy of a string, kept in a variable without a declaration: the variable is a string. */
#pragma D option quiet
char *declared;
string name;

BEGIN
{
	self->a = (char *)execname;
	g = (char *)strjoin("two", "parts");
	k[1] = (void *)probename;
	k[2] = 0;
	this->c = g == "twoparts" ? (char *)execname : NULL;
	this->d = g == NULL ? (char *)execname : NULL;
	rest = (char *)probename + 2;
	declared = (char *)probename;
	late = 0;
	self->in["x"] = (char *)substr("abcdef", 1, 3);
	name = "kept";
	address = (char *)name;
	printf("%s %s %s %c\n", stringof(self->a), stringof(declared), g, *self->a);
}

BEGIN { late = (char *)probeprov; self->b = self->a; }
BEGIN { printf("%s %s %s\n", stringof(self->a), self->a, strjoin(self->a, "!")); }
BEGIN { printf("%s %s [%s]\n", stringof(g), stringof(k[1]), k[2]); }
BEGIN { printf("%s [%s] %s\n", stringof(this->c), this->d, stringof((char *)this->c + 1)); }
BEGIN { printf("%s %c %s\n", rest, g[1], g + 3); }
BEGIN { printf("%s %s %s\n", late, self->in["x"], self->b); }
BEGIN { printf("%d %d\n", self->a == NULL, self->a != 0); }
BEGIN /self->a && !this->d && g && k[1]/ { printf("%d %d\n", g ? 1 : 2, this->d ? 1 : 2); }
BEGIN { printf("%s [%s]\n", (int)self->a == 0 ? "none" : self->a, (uintptr_t)k[2] ? "none" : k[2]); }
BEGIN /this->d || k[2]/ { printf("not here\n"); }
BEGIN { address[0] = 'K'; printf("%s %s\n", name, stringof(address)); }
BEGIN { self->a = 0; k[1] = 0; }
BEGIN /!self->a/ { printf("[%s] [%s]\n", self->a, k[1]); @[g] = count(); @["twoparts"] = count(); }
/* what is declared as a pointer stays one */
BEGIN { printf("%s\n", stringof(declared)); }
BEGIN { exit(0); }
