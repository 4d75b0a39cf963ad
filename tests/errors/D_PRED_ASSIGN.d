/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
/y = 5/
{
}

BEGIN
/y == 5 && (z = y) || !(z = 1)/
{
	if (y = 3)
		trace(1);
	if ((y = 3) != 0)
		trace(2);
}
