/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The newest records of each CPU, within the bytes of a buffer: 4096 / 32 = 128. */
#pragma D option quiet
#pragma D option bufpolicy=ring
#pragma D option bufsize=4k

profile-97
{
	n[cpu]++;
	printf("%d %d\n", cpu, n[cpu]);
}

END
{
	printf("END\n");
}
