/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scratch memory ends with its clause: what is kept of its address is a fault in another one, also where that has
 * scratch memory of its own. */
#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(16);
	this->p[0] = 'a';
	this->n = (int *)this->p;
	kept = this->p;
	printf("%s %d %d\n", stringof(this->p), this->n[0], kept == this->p);
}

BEGIN { trace(this->n[0]); }
BEGIN { alloca(64); trace(this->n[0]); }
BEGIN { alloca(64); trace(stringof(this->p)); }
BEGIN { alloca(64); trace(stringof(kept)); }
BEGIN { alloca(64); this->p[0] = 1; }
BEGIN { bcopy(this->p, alloca(8), 4); }
BEGIN { bcopy(alloca(8), this->p, 4); }
BEGIN { alloca(64); tracemem(this->p, 4); }

BEGIN
{
	this->q = (char *)alloca(16);
	this->q[0] = 'b';
	printf("%s %d\n", stringof(this->q), this->q == this->p);
	exit(0);
}
