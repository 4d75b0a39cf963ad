/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* toupper tolower, basename dirname cleanpath. */
#pragma D option quiet
profile-97
{
	printf("[%s] [%s] ", toupper(execname), tolower(execname));
	printf("[%s] [%s] [%s]\n", basename(execname), dirname(execname), cleanpath(execname));
	@[basename(execname)] = count();
}
END
{
	printf("[%s] [%s] [%s]\n", toupper("abc"), basename("/a/bc"), dirname("/a/bc"));
	printf("[%s] [%s] [%s]\n", basename(""), dirname(""), dirname("abc"));
	printf("[%s] [%s] [%s] [%s]\n", cleanpath("/a/b/../../c"), cleanpath("/a/.."), cleanpath("/a/..b/.c/./d"), cleanpath("x//y"));
}
