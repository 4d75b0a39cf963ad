/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stackframes, ustackframes, jstackframes, maxframes, stackindent */
#pragma D option quiet
#pragma D option stackframes=3
#pragma D option ustackframes=2
#pragma D option jstackframes=1
#pragma D option maxframes=4
#pragma D option stackindent=2
profile-97
{
	stack();
	ustack();
	jstack();
	stack(100);
	@[stack()] = count();
}
