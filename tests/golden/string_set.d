/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes of strings are assigned; a NUL ends the string; a byte after its end changes nothing. */
#pragma D option quiet
string names[int];

BEGIN
{
	s = "a rather long query";
	s[9] = '.';
	s[10] = '.';
	s[11] = 0;
	printf("<%s> %d\n", s, strlen(s));
	s[11] = 'x';
	s[14] = 'y';
	k = -1;
	s[k] = 'z';
	*s = 'A';
	printf("<%s> %d %d\n", s, strlen(s), s == "A rather ..x");
	this->t = probename;
	i = 0;
	this->t[i++] = 'b';
	this->t[i] = this->t[i + 1];
	printf("<%s> %d\n", this->t, i);
	names[1] = s;
	names[1][2] = 'R';
	self->u = names[1];
	self->u[1] = '_';
	printf("<%s> <%s> <%s>\n", names[1], self->u, s);
	names[2][0] = 'n';
	printf("<%s>\n", names[2]);
	s[0] = 0;
	@[s, self->u] = count();
	printa("<%s> <%s> %@d\n", @);
}

BEGIN
/strlen(self->u) > 3/
{
	self->u[3] = '\0';
	exit(self->u == "A_R" ? 0 : 1);
}
