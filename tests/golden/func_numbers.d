/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lltostr strtoll: bases, signs, prefixes, what is no number; a base that there is not is a fault. */
#pragma D option quiet
profile-97
{
	printf("[%s] [%s] [%s] [%s]\n", lltostr(pid), lltostr(-pid), lltostr(pid - pid), lltostr(pid, 36));
	printf("[%s] [%s] [%s] [%s]\n", lltostr(pid, 16), lltostr(-pid, 16), lltostr(pid, 8), lltostr(pid, 2));
	printf("%d %d %d %d\n", strtoll(execname), strtoll(execname, 16), strtoll(execname, 36), strtoll(lltostr(-pid)));
	printf("%d\n", strtoll(strjoin(" \t+", lltostr(pid, 7)), 7));
}
profile-97 { printf("%s\n", lltostr(pid, pid)); }
profile-97 { printf("%d\n", strtoll(execname, 1)); }
END
{
	printf("%s %s %s %s\n", lltostr(0, 16), lltostr(0, 8), lltostr(0, 2), lltostr(-9223372036854775807 - 1));
	printf("%d %d %d\n", strtoll("077", 8), strtoll("  -0x10", 16), strtoll("18446744073709551615"));
}
