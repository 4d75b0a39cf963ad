/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows whose values are 0 are left out; a joint row only if all are; histograms stay. */
#pragma D option quiet
#pragma D option aggnonzero

BEGIN
{
	@sum["gone"] = sum(5);
	@sum["gone"] = sum(-5);
	@sum["left"] = sum(7);
	@sum["less"] = sum(-7);
	@n["gone"] = sum(0);
	@n["counted"] = sum(3);
	@n["left"] = sum(0);
	@hist["zero"] = quantize(0);
	printa(@sum);
	printa("%s %@d %@d\n", @sum, @n);
	printa(@hist);
	exit(0);
}
