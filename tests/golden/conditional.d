/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* if and else choose the actions of a firing; the others of the clause still run. */
#pragma D option quiet
profile-97
{
	printf("%d:", pid);
	if (pid == 1) {
		printf("one");
	} else if (pid == 2) {
		printf("two");
		@two = count();
	} else
		printf("many");
	printf(".\n");
}
