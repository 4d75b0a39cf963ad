/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each width of a key has its column. */
BEGIN
{
	@[(char)100, (short)20000, -3, -4LL, "a longer key than the others", (char)7] = count();
	@[(char)1, (short)2, 3, 4LL, "five", (char)-1] = count();
}
