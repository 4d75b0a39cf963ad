/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
int from[4];
int to[4];

BEGIN
{
	to = from;
}
