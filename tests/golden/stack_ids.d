/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack that is remembered by its number is the same key as the stack. */
#pragma D option quiet
profile-97
/cpu == 0/
{
	from[pid] = stackid();
	user[pid] = ustackid(1);
	script[pid] = jstackid(1);
	@same[stackid() == stackid()] = count();
}

profile-97
/cpu == 1/
{
	@k[stackof(from[pid])] = count();
	@u[ustackof(user[pid]), pid] = count();
	@j[jstackof(script[pid]), pid] = count();
	@both[stackof(from[pid]), ustackof(user[pid])] = sum(arg0 & 0xff);
}

profile-97
{
	@k[stack(1)] = count();
}

END
{
	printa("k%k%@d\n", @k);
	printa("u%k%d %@d\n", @u);
	printa("j%k%d %@d\n", @j);
	printa("both%k%k%@d\n", @both);
	printa("%d %@d\n", @same);
}
