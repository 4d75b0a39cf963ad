/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments that have a value when they are not given. */
#pragma D option quiet
#pragma D option argdefaults=profile-97,23,pid,none
$1
/$2 == 23/
{
	printf("%d %d %s\n", $2, $3, $$4);
}
