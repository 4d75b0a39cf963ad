/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A clause records as many actions as it has; those of a branch share a bit. */
#pragma D option quiet

int n;

BEGIN
{
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	if (n & 1) { printf("odd "); printf("%d\n", n); } else { printf("even "); printf("%d\n", n); }
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("%d ", ++n);
	printf("\n");
	exit(0);
}
