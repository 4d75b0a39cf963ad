/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* seed 1795264519011161: an ERROR clause that faults on every way gave its scratch back through a register that was
 * taken. */
int ar[6];
self signed char n3;
this short t6;
this string s;
ERROR
{
	this->m = alloca(48);
	printf("%X %lld \n", strtoll(this->s, 33), (($pid / (this->t6 + self->n3)) - ar[6 + this->t6]));
}
BEGIN
{
	tracemem(this->m, 13, epid);
}
