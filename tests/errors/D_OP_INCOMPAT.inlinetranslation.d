/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline lwpsinfo_t *me = curpsinfo;
BEGIN
{
	trace(1);
}
