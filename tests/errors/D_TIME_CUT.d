/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
this int when;
BEGIN
{
	start = 0;
	self->start = (short)0;
	begun[pid] = 0;
	late = timestamp;
	late = 0;
}
profile-97
{
	start = timestamp;
	self->start = vtimestamp;
	begun[pid] = walltimestamp;
	late = timestamp;
	this->when = timestamp;
	start = timestamp - 5;
}
