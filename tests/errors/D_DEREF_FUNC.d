/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct ops {
	int (*f)(int);
};
BEGIN
{
	trace(!*((struct ops *)arg0)->f);
}
