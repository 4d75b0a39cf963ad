/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct later;
BEGIN
{
	trace(offsetof(struct later, b));
}
