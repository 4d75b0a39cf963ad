/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
pid$target:a.out:main:entry
{
	trace(1);
}
