/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A constant of one character has a char's value, as a byte of a string has. */
#pragma D option quiet
struct name { char c[4]; };
struct name n;

BEGIN
{
	s = "a\377\200\177";
	printf("%d %d %d %d\n", s[1] == '\377', s[2] == '\200', s[3] == '\x7f', "\xff"[0] == '\xff');
	printf("%d %d %d %d %d\n", '\377', '\200', '\177', '\0', s[1]);
	printf("%x %c%c %C\n", '\377', 'a', s[0], '\377');
	/* more of them make an int, as in C; more than four a long */
	printf("%d %x %x %d\n", '\377\377', 'ab', '\377abc', '\377abc' < 0);
	printf("%d %d %d %x\n", sizeof ('a'), sizeof ('abcd'), sizeof ('abcde'), 'abcdefgh');
	n.c[0] = '\377';
	printf("%d %d %d\n", n.c[0] == '\377', (uint8_t)'\377' == 255, (unsigned)'\377' == 0xffffffff);
	printf("%S %S %S\n", strchr(s, '\377'), strchr(s, 255), strrchr(s, s[2]));
	@['\377'] = count();
	@[s[1]] = count();
	printa("%d %@d\n", @);
	exit(0);
}
