/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stacks and symbols as keys: equal stacks are one row whatever CPU; addresses of one function, of one module are one row */
#pragma D option quiet
profile-97
{
	@k[stack()] = count();
	@two[stack(2), execname] = count();
	@u[ustack()] = sum(2);
	@both[ustack(1), stack(1), pid] = count();
	@f[func(arg0)] = count();
	@m[mod(arg0), umod(arg1)] = count();
	@us[usym(arg1)] = count();
	@ua[uaddr(arg1)] = count();
	@q[stack(1)] = quantize(pid);
}

/* fewer frames in another use of the same key */
profile-97
/cpu == 1/
{
	@k[stack(1)] = count();
}

END
{
	printf("k");
	printa(@k);
	printf("two");
	printa(@two);
	printf("u");
	printa(@u);
	printf("both");
	printa(@both);
	printf("f");
	printa(@f);
	printf("m");
	printa(@m);
	printf("us");
	printa(@us);
	printf("ua");
	printa(@ua);
	printf("q");
	printa(@q);
	printf("formats\n");
	printa("%k%@d\n", @k);
	printa("%@d %a\n", @f);
	printa("%a %A %@d\n", @m);
	printa("%-30A|%@d\n", @us);
	printa("%k %s %@d\n", @two);
	trunc(@k);
	printf("none");
	printa(@k);
}
