/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracing ends when the records of one CPU fill a buffer; the oldest are kept. */
#pragma D option quiet
#pragma D option bufpolicy=fill
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
