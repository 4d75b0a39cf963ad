/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
/curthread == arg0/
{
	trace(1);
}
