/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clauses of a probe that share a clause-local pointer share scratch memory. It ends with the firing: what is kept of
 * its address is a fault in the clauses of another probe. */
#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(16);
	this->p[0] = 'a';
	this->n = (int *)this->p;
	kept = this->p;
	printf("%s %d %d\n", stringof(this->p), this->n[0], kept == this->p);
}

BEGIN { printf("%d\n", this->n[0]); }
BEGIN { this->o = (char *)alloca(64); printf("%d %d\n", this->n[0], this->o == this->p); }
BEGIN { printf("%s %s\n", stringof(this->p), stringof(kept)); }
BEGIN { this->p[1] = 'b'; this->o[0] = 'c'; }
BEGIN { bcopy(this->p, alloca(8), 4); bcopy(this->o, this->p + 2, 1); }
BEGIN /this->p[2] == 'c'/ { printf("%s %s\n", stringof(this->p), stringof(this->o)); }
BEGIN { trace(this->p[960]); }
BEGIN { this->p[960] = 1; }
BEGIN { alloca(4000); }
BEGIN { alloca(4000); }
BEGIN { alloca(4000); }
BEGIN { printf("%s\n", stringof(this->p)); exit(0); }
END { printf("%d\n", this->p == 0); }
END { trace(stringof(kept)); }
