/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* setopt() changes what comes after it in its own clause, and nothing before it. */
#pragma D option quiet

BEGIN
{
	@["b", 1] = sum(1);
	@["a", 2] = sum(2);
	@["c", 3] = sum(0);
	@n["a", 2] = sum(1);
	@n["b", 1] = sum(2);
	@n["c", 3] = sum(3);
}

/* By value, by key, the other way round, by the second key. */
BEGIN
{
	printa("%s ", @);
	setopt("aggsortkey");
	printa("%s ", @);
	setopt("aggsortrev");
	printa("%s ", @);
	setopt("aggsortkeypos", "1");
	setopt("aggsortrev", "no");
	printa("%s ", @);
	setopt("aggsortkey", "no");
	setopt("aggsortkeypos", "0");
	printf("\n");
}

/* Joint: by the second aggregation. */
BEGIN
{
	printa("%s %@d %@d, ", @, @n);
	setopt("aggsortpos", "1");
	printa("%s %@d %@d, ", @, @n);
	printf("\n");
}

/* A line that begins with a probe ends; one that becomes loud ends, too. */
BEGIN
{
	trace(1);
	setopt("quiet", "no");
	trace(2);
	setopt("quiet");
	trace(3);
	setopt("quiet", "no");
}

BEGIN
{
	trace(4);
	setopt("quiet");
	trace(5);
}

/* An invalid value changes nothing; an option that cannot change is reported. */
BEGIN
{
	setopt("quiet", "perhaps");
	setopt("strsize", "10");
	trace(6);
	printf("\n");
}

struct pair { uint64_t a, b; };

profile-97
{
	stack();
	setopt("stackindent", "2");
	stack();
	setopt("stackindent", "14");
}

profile-97
{
	this->p = (struct pair *)alloca(sizeof (struct pair));
	this->p->b = 7;
	print(*this->p);
	setopt("printsize", "8");
	print(*this->p);
	exit(0);
}
