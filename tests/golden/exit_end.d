/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The status that END gives is the one that counts. */
#pragma D option quiet

BEGIN
{
	exit(2);
	exit(5);
}

END
{
	printf("end\n");
	exit(3);
	exit(4);
}
