/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a D script and prints its aggregations once a second, and at the end. Options come from DTR_OPT_* variables.
 *	cc aggregations.c $(pkg-config --cflags --libs libdtr) -o aggregations
 *	./aggregations 'profile-97 { @[execname] = count(); @late["ns"] = quantize(arg2); } tick-5s { exit(0); }'
 */
#include <dtr.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int print_row(void *arg, const struct dtr_row *r)
{
	printf("@%s", (const char *)arg);
	for (unsigned i = 0; i < r->n_keys; i++)
		printf("\t%s", r->keys[i].text);
	printf("\t%" PRId64 "\n", r->value);
	for (unsigned i = 0; i < r->n_buckets; i++)
		printf("\t%" PRId64 " to %" PRId64 ": %" PRId64 "\n", r->buckets[i].from, r->buckets[i].to,
		       r->buckets[i].count);
	return 0;
}

static void print_all(struct dtr *t)
{
	struct dtr_agg a;

	if (dtr_snapshot(t) == 0)
		for (unsigned i = 0; dtr_agg(t, i, &a); i++)
			dtr_agg_rows(t, i, print_row, (void *)a.name);
}

int main(int argc, char **argv)
{
	const struct dtr_config config = { .progname = "aggregations" };
	struct dtr *t = argc == 2 ? dtr_open(&config) : NULL;
	time_t shown = time(NULL);
	int status = 1;

	if (!t)
		return 2;
	dtr_option(t, "quiet", NULL);
	if (dtr_environment(t, environ) == 0 && dtr_add_text(t, argv[1], DTR_PROBE) == 0 && dtr_compile(t) == 0 &&
	    dtr_go(t) == 0) {
		while (dtr_work(t) == DTR_MORE)
			if (time(NULL) != shown) {
				print_all(t);
				shown = time(NULL);
			}
		dtr_finish(t);
		print_all(t);
		status = dtr_status(t);
	}
	dtr_close(t);
	return status;
}
