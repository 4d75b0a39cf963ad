/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A byte of a string, by * and by an index. Outside of the string it is 0. */
#pragma D option quiet
string names[int];

BEGIN
{
	s = "hello";
	this->t = strjoin(s, "\377!");
	names[1] = s;
	self->u = s;
	i = 4;
	printf("%c%c%c%c %d %d\n", *s, s[1], s[i], *names[1], *s == 'h', s[5]);
	printf("%d %d %d %d\n", this->t[5], s[6], s[i - 5], s[i + 100000]);
	printf("%c%c%c %d\n", "constant"[2], names[1][1], self->u[i - 1], sizeof (s[0]));
	printf("%s %s\n", *s == '/' ? "" : "relative", s[0] == 'h' && s[4] == 'o' ? "yes" : "no");
	printf("%c %c\n", probename[1], *strchr(s, 'l'));
	names[2] = 0;
	printf("%d %d\n", *names[2], names[7][0]);
}
