/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* String conversions; strings longer than a width are kept, longer than a precision are cut. */
#pragma D option quiet
BEGIN
{
	s = "hello";
	printf("[%s] [%10s] [%-10s] [%.3s] [%10.3s] [%3s]\n", s, s, s, s, s, s);
	printf("[%s] [%s]\n", "", execname);
	printf("[%*s] [%-*s] [%.*s]\n", 7, s, 7, s, 2, s);
	printf("tab\there \"quoted\" \\ \x41\102\n");
	printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename);
}
