/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* bcopy() out of strings; an allocation of all that there is. */
#pragma D option quiet
#pragma D option scratchsize=512

BEGIN
{
	name = "caterpillar";
	p = (char *)alloca(32);
	bcopy("butterfly", p, 10);
	bcopy(name, p + 6, 5);
	bcopy(strjoin(name, "!"), p + 16, 13);
	printf("%s, %s\n", stringof(p), stringof(p + 16));
	bcopy("", p, 1);
	printf("[%s]\n", stringof(p));
}

BEGIN
{
	all = (char *)alloca(512);
	all[511] = 'z';
	printf("%c\n", all[511]);
}

BEGIN
{
	all = (char *)alloca(512);
	bcopy("too much", all, 300);
}

BEGIN
{
	half = alloca(256);
	more = alloca(300);
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("fault %d\n", arg4);
}
