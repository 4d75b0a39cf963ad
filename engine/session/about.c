/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/about.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* This machine, now. */
static void about_here(const struct dtr *t, struct run_about *out)
{
	uint64_t now = clock_now();

	*out = (struct run_about){
		.timed = true, .began = now, .now = now, .dated = true, .wall = clock_read(CLOCK_REALTIME),
	};
	if (gethostname(out->host, sizeof out->host - 1) < 0)
		*out->host = '\0';
	snprintf(out->subject, sizeof out->subject, "%s", t->subject.text ? t->subject.text : "");
	snprintf(out->program, sizeof out->program, "%s", t->subject.program ? t->subject.program : "");
}

/* Returns false if the time is unknown. */
static bool about_now(const struct dtr *t, struct run_about *out)
{
	*out = (struct run_about){ 0 };
	if (!t->ops->clock)
		about_here(t, out);
	else if (t->ops->clock->about)
		t->ops->clock->about(t->backend, out);
	return out->timed;
}

void about_begin(struct dtr *t)
{
	about_now(t, &t->output.about);
}

void about_end(struct dtr *t)
{
	struct run_about *about = &t->output.about, now;

	if (about->timed && about_now(t, &now) && now.now > about->began)
		about->now = now.now;
}
