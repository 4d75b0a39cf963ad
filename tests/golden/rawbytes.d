/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* trace() shows text as text, other bytes as a dump; with rawbytes, or from setopt("rawbytes") on, all as a dump. */
#pragma D option quiet
#pragma D option strsize=16

char some[6], mixed[4];

BEGIN
{
	trace("text\t"); trace("\303\244"); trace("");
	printf("\n");
	trace("\001bell"); trace("\377");
	some[0] = 'a'; some[1] = 'b';
	mixed[0] = 'a'; mixed[2] = 'b';
	trace(some); trace(mixed);
	setopt("rawbytes");
	trace("text"); trace(some);
	setopt("rawbytes", "no");
	trace("text");
	printf("\n");
	exit(0);
}
