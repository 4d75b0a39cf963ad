/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* aggsortonly: only the keys that are left in the first aggregation, here those of its largest rows; then all. */
#pragma D option quiet
#pragma D option aggsortonly
BEGIN
{
	@n["a"] = sum(3); @s["a"] = sum(10);
	@n["b"] = sum(2); @s["b"] = sum(20);
	@n["c"] = sum(1); @s["c"] = sum(30);
	trunc(@n, 2);
	printa("%s %@d %@d\n", @n, @s);
	setopt("aggsortpos", "1");
	printa("%s %@d %@d\n", @n, @s);
	setopt("aggsortpos", "0");
	setopt("aggsortonly", "no");
	printa("%s %@d %@d\n", @n, @s);
	exit(0);
}
