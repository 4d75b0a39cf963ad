/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The type of a variable without a declaration holds the values of all its assignments. */
#pragma D option quiet

int fixed;
self int kept;
inline int64_t set = (late = 40000000000);

BEGIN
{
	last[""] = 0;
	below = 0;
	unsigned_first = (uint32_t)5;
	negative = -1;
	letter = (char)1;
	letters[1] = (char)1;
	self->s = 0;
	self->a["x"] = 0;
	this->t = 0;
	total = 0;
	less = 0;
	grown = 0;
	chain = 0;
	late = 0;
	both = 0;
	small = (char)100;
	true = (_Bool)0;
	ones = (uint32_t)0;
	counted = 0;
	flag = 0;
	fixed = 0;
	self->kept = 0;
	text = 0;
	added = 0;
	bytes["x"] = 0;
	stepped++;
	printf("%d %d %d %d %d %d %d\n", sizeof(last[""]), sizeof(negative), sizeof(letter), sizeof(counted),
	    sizeof(flag), sizeof(fixed), sizeof(stepped));
}

/* the value of `next` is known only after that of `chain` */
BEGIN
{
	next = chain;
	last[""] = (uint64_t)18446744073709551615;
	below = (int64_t)-5000000000;
	unsigned_first = -6000000000;
	negative = (uint64_t)7000000000;
	letter = 300;
	letters[2] = 70000;
	self->s = 0x100000000;
	self->a["y"] = 0x200000000;
	this->t = 0x300000000;
	total += (uint64_t)8000000000;
	less -= (uint64_t)5;
	grown = grown + 9000000000;
	chain = (uint64_t)10000000000;
	both = flag ? 0 : 11000000000;
	small += 300;
	true = 1024;
	ones = -1;
	counted++;
	flag = 1;
	fixed = 0x100000007;
	self->kept = 0x100000008;
	text = "text";
	stepped = 0;
	late = set;
}

BEGIN
{
	next = chain;
	printf("%u %d %d %d %d %d %d\n", last[""], below, unsigned_first, negative, letter, letters[1], letters[2]);
	printf("%x %x %x %x\n", self->s, self->a["x"], self->a["y"], this->t);
	printf("%d %d %d %d %d %d %d\n", total, less, grown, chain, next, both, late);
	printf("%d %d %u %d %d\n", small, true, ones, counted, flag);
	printf("%d %d %s\n", fixed, self->kept, text);
	printf("%d %d\n", less < 0, last[""] > below);
}

/* sums of integers that have 32 bits each */
BEGIN
{
	this->size = 2000000000;
	added += this->size;
	added += this->size;
	bytes["x"] = this->size + bytes["x"];
	bytes["x"] = this->size + bytes["x"];
	less = less - this->size;
	printf("%d %d %d %d\n", added, bytes["x"], less, sizeof(this->size));
}

/* keys: a constant first, then more bits; a widened variable as a key */
BEGIN
{
	keys[0] = 1;
	keys[12000000000] = 2;
	keys[chain] = 3;
	tuple[pid, "a"] = 4;
	tuple[chain, "a"] = 5;
	@sum[flag] = sum(1);
	@sum[chain] = sum(2);
	printf("%d %d %d %d %d\n", keys[0], keys[12000000000], keys[10000000000], tuple[pid, "a"],
	    tuple[10000000000, "a"]);
}

/* 0, then an address */
BEGIN
{
	start = 0;
	self->p = NULL;
	point["x"] = 0;
	address = 0;
}

BEGIN
/self->p == NULL && !point["x"] && !start/
{
	self->p = "pointed at";
	point["x"] = (int *)0xffff888000000010;
	address = (uint64_t)0xffffffff80000000;
	start = timestamp;
}

BEGIN
{
	printf("%s %d %x %d\n", self->p, sizeof(point["x"]), address, start == timestamp);
	self->p = 0;
	point["x"] = 0;
	printf("[%s] %d\n", self->p, point["x"] == NULL);
	printa("%d %@d\n", @sum);
	exit(0);
}
