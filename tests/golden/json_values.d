/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values as JSON: the ends of their types, pointers as text, strings of any bytes. */
#pragma D option quiet
BEGIN
{
	trace((int8_t)-128);
	trace((unsigned long long)-1);
	trace((long long)1 << 63);
	trace((unsigned int)-1);
	trace('a');
	trace((char *)0x10);
	trace("quote \" backslash \\ tab \t bell \a del \177");
	trace("\303\244 \342\202\254 \360\237\230\200");
	trace("\377 \303 \355\240\200 \300\257");
	trace("");
	printf("%s %5d %-5d| %x %*d %%\n", "a\nb", -7, 7, 255, 4, 1);
	exit(3);
}
