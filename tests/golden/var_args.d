/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables as arguments of functions that follow a pointer: global, clause-local, thread-local, in elements of an array. */
#pragma D option quiet
typedef unsigned char u;
u g[4], six[16];
this u l[4];
self u s[4];
struct e { int x; u ip[4]; char name[6]; } one[int];

BEGIN
{
	g[0] = 192; g[1] = 168; g[3] = 7;
	six[0] = 0xfe; six[1] = 0x80; six[5] = 1; six[15] = 1;
	this->l[0] = 10; this->l[3] = 1;
	self->s[0] = 11; self->s[3] = 2;
	one[3].ip[0] = 12; one[3].ip[3] = 3;
	one[3].name[0] = 'A'; one[3].name[1] = 'B';
	printf("%s %s %s %s\n", inet_ntoa((uint32_t *)g), inet_ntoa((uint32_t *)this->l), inet_ntoa((uint32_t *)self->s),
	    inet_ntoa((uint32_t *)one[3].ip));
	printf("%s %s %s\n", inet_ntoa6((in6_addr_t *)six), inet_ntop(AF_INET6, six), inet_ntop(AF_INET, this->l));
	printf("%s %s\n", link_ntop(1, six), inet_ntoa((uint32_t *)&six[2]));
	printf("%d %s %s\n", strlen(one[3].name), one[3].name, strjoin(one[3].name, "x"));
	this->d = (u *)alloca(16);
	this->two = 2;
	bcopy(g, this->d, 4);
	bcopy(self->s, this->d + 4, 4);
	bcopy(one[3].ip, this->d + 8, 4);
	bcopy(&this->l[this->two], this->d + 12, this->two);
	bcopy(one[4].ip, this->d + 14, 2);
	tracemem(this->d, 16);
	kept = &six[1];
	bcopy(kept, this->d, this->two + 3);
	bcopy(&one[this->two + 1].ip[this->two - 2], this->d + 10, this->two);
	tracemem(this->d, 16);
}

/* Outside of the variable. */
BEGIN { bcopy(g, alloca(8), 5); }
BEGIN { this->n = 3; bcopy(&g[this->n], alloca(8), 2); }
BEGIN { this->n = -1; bcopy(&g[this->n], alloca(8), 2); }
BEGIN { bcopy(&g[4 + epid / epid], alloca(8), 0); }
BEGIN { bcopy(kept, alloca(16), 16); }
BEGIN { trace(inet_ntop(AF_INET6, g)); }
BEGIN { bcopy("abc", g, 2); }
/* Behind the end of what was allocated last. */
BEGIN { bcopy("01", (char *)alloca(16) + 16, 1); }
BEGIN { bcopy("01", (char *)alloca(16) + 15, 2); }
BEGIN { this->p1 = (char *)alloca(10); bcopy("0123456789abc", this->p1, 11); }
BEGIN { this->p2 = (char *)alloca(10); this->p2[10] = 'a'; }
BEGIN { this->p3 = (char *)alloca(10); bcopy(this->p3 + 1, alloca(10), 20); }
BEGIN { this->p4 = (char *)alloca(10); bcopy("0123456789", this->p4, 10); printf("%s\n", stringof(this->p4)); exit(0); }
