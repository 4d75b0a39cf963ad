/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* strlen strjoin substr: of strings that are known and that are not; negative positions and lengths. */
#pragma D option quiet
profile-97
{
	printf("%d %d %d\n", strlen(execname), strlen(""), strlen(strjoin(execname, "....")));
	printf("[%s] [%s] [%s]\n", strjoin(execname, ""), strjoin("", execname), strjoin(strjoin(execname, "-"), execname));
	printf("[%s] [%s] [%s] [%s]\n", substr(execname, 2), substr(execname, 0, 3), substr(execname, 1, 100), substr(execname, 7));
	printf("[%s] [%s] [%s] [%s]\n", substr(execname, -2), substr(execname, -4, 2), substr(execname, 1, -2), substr(execname, -9, 5));
	printf("[%s] [%s] [%s]\n", substr(execname, -1, 0), substr(execname, pid - 1, pid), substr(execname, -20));
	lengths[strlen(execname)] = strjoin("length of ", execname);
	@[substr(execname, 0, 1), strlen(execname)] = count();
}
END
{
	printf("%s, %s\n", lengths[6], lengths[1]);
	printf("%d [%s] [%s] [%s]\n", strlen("constant"), strjoin("con", "stant"), substr("constant", 3), substr("constant", -3, 2));
}
