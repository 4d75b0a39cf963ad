/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/run/limited.h"

#include "lang/prog.h"

void limited_share(struct buf *out, double spent, double allowed, double limit, unsigned ncpus)
{
	double share = allowed > 0 ? spent / allowed * limit : 0;

	buf_printf(out, "%.2f %% of the time of %u CPUs; maxcost is %g %%", 100 * share, ncpus, 100 * limit);
}

void limited_reason(struct buf *out, const struct thin_obstacle *o)
{
	if (!o->what)
		return;
	if (o->loc.line)
		buf_printf(out, " (line %u: %s", o->loc.line, o->what);
	else
		buf_printf(out, " (%s", o->what);
	buf_printf(out, "%s%s)", o->name ? ": " : "", o->name ? o->name : "");
}

void limited_obstacle(struct buf *out, const char *probe, const struct thin_obstacle *o)
{
	buf_printf(out, "; firings of %s cannot be left out", probe);
	limited_reason(out, o);
}
