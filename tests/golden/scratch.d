/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scratch memory and the memory of processes: addr is the address of a string, size a size. */
#pragma D option quiet
inline uint64_t addr = 0x7f0000000000 + gid;
inline size_t size = uid;

struct pair {
	int a;
	short b : 5;
	unsigned short c : 11;
	struct { char text[4]; } in;
};

BEGIN
{
	this->p = (int *)alloca(4 * sizeof(int));
	this->p[0] = 10;
	this->p[3] = this->p[0] * 2;
	*(this->p + 1) = -1;
	this->p[1] -= 4;
	this->p[0]++;
	printf("%d %d %d %d|\n", this->p[0], this->p[1], this->p[2], this->p[3]);
	printf("%d %x\n", --this->p[0], this->p + 1);
	this->s = (struct pair *)(this->p + 1);
	this->s->a = 7;
	this->s->b = -3;
	this->s->c = 2000;
	this->s->in.text[1] = 'x';
	printf("%d %d %d %d\n", this->s->a, this->s->b, this->s->c, this->s->in.text[1]);
	this->s->c += 60;
	printf("%d %d\n", this->s->c, this->s->b);
	this->c = (char *)alloca(8);
	this->c[0] = 'a';
	this->c[1] = 'b';
	printf("%s|%s|%d\n", stringof(this->c), stringof(this->c + 1), strlen(stringof(this->c)));
}

profile-97
{
	this->m = (char *)copyin(addr, size);
	printf("%s %c %d\n", stringof(this->m), this->m[1], this->m[size - 1]);
	this->q = (char *)alloca(size + 4);
	bcopy(this->m, this->q + 2, size);
	this->q[0] = this->q[1] = '-';
	printf("%s\n", stringof(this->q));
	bcopy(this->q, this->q + 1, size + 2);
	printf("%s\n", stringof(this->q));
	copyinto(addr + 1, 2, this->q);
	printf("%s\n", stringof(this->q));
}

profile-97
{
	printf("[%s] [%s] [%s] [%s]\n", copyinstr(addr), copyinstr(addr, 3), copyinstr(addr, size), copyinstr(addr, 0));
	this->u = (userland char *)addr;
	printf("%c %s %d\n", this->u[2], stringof(this->u + 1), *this->u == *(userland char *)addr);
	@[copyinstr(addr, 2)] = sum(size);
}

profile-97
/ *(userland short *)addr == 0x6568 && copyinstr(addr) != "other" /
{
	bcopy((char *)0xffff888000000000, this->k = alloca(8), 4);
	printf("%s\n", stringof((char *)this->k));
	tracemem(this->k, 4);
	tracemem((userland char *)addr, 20, size);
}
