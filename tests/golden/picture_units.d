/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of durations have a unit of time, through variables and divisions, if no other values are added. */
#pragma D option quiet
uint64_t begun, whole;
self uint64_t since, took, mixed, counted;
BEGIN { begun = timestamp; }
profile-97
{
	this->took = timestamp - begun;
	this->half = this->took;
	this->us = this->took / 1000;
	this->odd = this->took / 7;
	this->scaled = this->took * 2;
	self->took = 0;
	self->took += timestamp - self->since;
	self->mixed = pid ? 5 : timestamp - begun;
	self->counted = timestamp - begun;
	self->counted++;
	whole = (int64_t)(walltimestamp - begun) + this->took;
	@took[ustack()] = sum(this->took);
	@half[ustack()] = sum(this->half);
	@us[ustack()] = sum(this->us);
	@ms[ustack()] = sum(this->us);
	@odd[ustack()] = sum(this->odd);
	@scaled[ustack()] = sum(this->scaled);
	@self[ustack()] = sum(self->took);
	@mixed[ustack()] = sum(self->mixed);
	@counted[ustack()] = sum(self->counted);
	@added[ustack()] = sum(whole);
	@two[ustack()] = sum(this->took);
	@two[ustack()] = sum(this->us);
}
END { normalize(@ms, 1000); }
