/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/profile/chart.h"

int64_t chart_scale(int64_t largest)
{
	return largest > 0 ? largest / CHART_WIDTH + (largest % CHART_WIDTH != 0) : 1;
}

void chart_bar(struct buf *out, int64_t value, int64_t scale)
{
	int64_t rest;

	if (value <= 0)
		return;
	rest = value % scale;
	buf_pad(out, '#', (size_t)(value / scale));
	if (rest && rest >= scale - rest)
		buf_putc(out, '|');
	else if (value < scale)
		buf_putc(out, '!');
}

void chart_percent(struct buf *out, int64_t value, int64_t whole)
{
	double share = whole > 0 ? 100.0 * (double)value / (double)whole : 0;

	if (share >= 1)
		buf_pad(out, '#', (size_t)(share + 0.5));
	else if (value > 0)
		buf_putc(out, '!');
}
