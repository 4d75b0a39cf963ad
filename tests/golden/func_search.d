/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* index rindex strstr strchr strrchr: where something is, and what follows it. Nothing found is NULL, that is empty. */
#pragma D option quiet
profile-97
{
	printf("%d %d %d %d\n", index(execname, "l"), index(execname, "hello"), index(execname, "lo-hell"), index(execname, "nix"));
	printf("%d %d %d %d\n", index(execname, "l", 4), index(execname, "h", -5), index(execname, "", 3), index(execname, "", 99));
	printf("%d %d %d %d\n", rindex(execname, "l"), rindex(execname, "hello"), rindex(execname, "o", 9), rindex(execname, "o", 3));
	printf("%d %d %d\n", rindex(execname, "", -1), rindex(execname, "h", -1), rindex(execname, ""));
	printf("[%s] [%s] [%s]\n", strstr(execname, "lo"), strstr(execname, ""), strstr(execname, "hello-hello!"));
	printf("[%s] [%s] [%s] [%s]\n", strchr(execname, 'l'), strchr(execname, '-'), strrchr(execname, 'l'), strrchr(execname, '?'));
	printf("%d %d\n", strstr(execname, "yz") == NULL, strchr(execname, 'z') != NULL);
}
profile-97 /strstr(execname, "lo-") != NULL && strlen(strrchr(execname, '-')) == 6/ { printf("predicate %s\n", execname); }
END
{
	printf("%d %d %d [%s] [%s]\n", index("abcabc", "c"), index("abcabc", "c", 3), rindex("abcabc", "c"), strstr("abc", "c"), strchr("abc", 'b'));
}
