/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants by name; what the script has of that name is the script's. */
#pragma D option quiet
int EPERM;

BEGIN
{
	EPERM = 77;
	printf("%d %d %d %d %d\n", SIGKILL, SIGCHLD, ENOENT, O_CREAT | O_RDWR, CLD_KILLED);
	printf("%d\n", EPERM);
	printf("%d %d %d %d %d %d %d %d\n", F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW);
	exit(0);
}
