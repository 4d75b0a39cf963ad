/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
{
	self->x = 1;
}
profile-97
/self->x/
{
	trace(1);
}
