/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
profile-97
{
	@[ustack(127)] = count();
	@s[stack(128), jstack(1000, 5)] = count();
	ustack(200);
}
