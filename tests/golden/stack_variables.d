/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* caller and ucaller are the second frames; uregs[] by name, by number, beyond its end, as a key. */
#pragma D option quiet
profile-97
{
	printf("%s: caller 0x%x ucaller 0x%x %u %u\n", execname, caller, ucaller, stackdepth, ustackdepth);
	printf("%x %x %x %x %d\n", uregs[R_RIP], uregs[R_SP], uregs[cpu], uregs[R_EAX], uregs[1000 + cpu]);
	@[ucaller, uregs[R_PC]] = count();
}
