/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -O gmon: the file of GNU gprof, gmon.out, of the program. -x gmonobjects chooses other objects; those after the first
 * are written to files named GMONFILE.OBJECT (-x gmonfile). With the profile of the kernel, a module or a stripped
 * object, an ELF file with its symbols is written, too: its name has .elf at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/host/refusal.h"
#include "engine/output/gmon/gmon_choose.h"
#include "engine/output/gmon/gmon_image.h"
#include "engine/output/list.h"
#include "engine/output/picture/picture.h"
#include "engine/output/profile/profile.h"

struct gmon_writer {
	struct output *output;
	struct arena arena;
	struct gmon_run run;
	uint32_t rate;
	VEC(long) written;		/* numbers of objects */
};

static void gmon_fail(struct gmon_writer *w, const char *what, const char *name, const char *reason)
{
	output_message(w->output, "%s %s: %s", what, name, reason);
	w->output->failed = true;
}

/* ---- the rate ---- */

/* Sets the rate of the samples. Returns false after a message. */
static bool gmon_rate(struct gmon_writer *w, const struct agg_table *tables, unsigned n)
{
	const uint64_t second = 1000000000;
	uint64_t interval = 0;
	bool same = true;

	for (unsigned i = 0; i < n; i++) {
		uint64_t x;

		if (!gmon_run_samples(tables[i].desc) || !tables[i].n)
			continue;
		x = picture_unit(w->output, &tables[i]).interval;
		same &= x && (!interval || x == interval);
		interval = x;
	}
	w->rate = interval ? (uint32_t)((second + interval / 2) / interval) : 1;
	if (same && w->rate)
		return true;
	gmon_fail(w, "failed to write", "-O gmon",
		  same ? "there is less than one sample a second" : "the samples are not those of one profile-N");
	return false;
}

/* ---- files ---- */

static void gmon_save(struct gmon_writer *w, const char *path, const struct buf *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), r = fd < 0 ? -errno : 0;
	struct stat st;
	if (!r)
		r = text->failed ? -ENOMEM : buf_write_fd(fd, text->data, text->len);
	if (fd >= 0 && close(fd) < 0 && !r)
		r = -errno;
	if (r < 0) {
		gmon_fail(w, "failed to write", path, refusal_errno(-r));
		if (fd >= 0 && !lstat(path, &st) && S_ISREG(st.st_mode))
			unlink(path);	/* it is not complete */
	}
}

static const char *gmon_path(struct gmon_writer *w, const struct gmon_code *c)
{
	const char *base = w->output->opts->gmonfile;
	unsigned same = 1;

	if (!w->written.n)
		return base;
	for (size_t i = 0; i < w->written.n; i++)
		same += !strcmp(w->run.code.v[w->written.v[i]].name, c->name);
	return same == 1 ? arena_printf(&w->arena, "%s.%s", base, c->name) :
	       arena_printf(&w->arena, "%s.%s.%u", base, c->name, same);
}

static void gmon_summary(struct gmon_writer *w, const struct gmon_code *c, const char *path, const char *image)
{
	const char *foreign = "";

	if (c->foreign)
		foreign = arena_printf(&w->arena, " (%" PRIu64 " calls by other objects have none)", c->foreign);
	output_stderr(w->output, "%s: %s: %" PRIu64 " samples, %" PRIu32 " a second, %zu arcs%s: gprof %s %s", path,
		      c->name, c->count, w->rate, c->arcs.n, foreign, image ? image : c->path, path);
}

/* Returns the path of the image. NULL: gprof reads the object itself, or no symbols are known. */
static const char *gmon_image(struct gmon_writer *w, const struct gmon_code *c, const char *path)
{
	const char *image = arena_printf(&w->arena, "%s.elf", path);
	struct buf text = { 0 };

	if (c->file && !gmon_image_needed(c->file))
		return NULL;
	if (!c->file)
		gmon_image_kernel(&text, &c->object, w->run.kernel, c->name);
	else if (!gmon_image_file(&text, &c->object, c->file))
		image = NULL;
	if (image)
		gmon_save(w, image, &text);
	else
		output_stderr(w->output, "warning: gprof will find no functions in %s: it has no symbols", c->path);
	buf_free(&text);
	return image;
}

static void gmon_write(struct gmon_writer *w, long number)
{
	const struct gmon_code *c = &w->run.code.v[number];
	const struct gmon_object *x = &c->object;
	const struct gmon_profile p = {
		.low = x->low, .high = x->high, .border = x->border, .nborders = x->nborders, .rate = w->rate,
		.is32 = x->is32, .sample = c->samples.v, .nsamples = c->samples.n, .arc = c->arcs.v,
		.narcs = c->arcs.n,
	};
	const char *path = gmon_path(w, c), *image = NULL;
	struct buf text = { 0 };

	if (c->err < 0) {
		gmon_fail(w, "failed to read", c->name, refusal_errno(-c->err));
		return;
	}
	gmon_put(w->written.n ? &text : &w->output->buf, &p);
	if (w->written.n)
		gmon_save(w, path, &text);
	else
		output_flush(w->output);
	buf_free(&text);
	*VEC_ADD(&w->arena, &w->written) = number;
	if (path && !w->output->failed)
		image = gmon_image(w, c, path);
	if (path && !w->output->failed)
		gmon_summary(w, c, path, image);
}

static bool gmon_was_written(const struct gmon_writer *w, long number)
{
	for (size_t i = 0; i < w->written.n; i++)
		if (w->written.v[i] == number)
			return true;
	return false;
}

/* Reports the objects that have samples and no file. */
static void gmon_rest(struct gmon_writer *w)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < w->run.code.n; i++)
		if (w->run.code.v[i].count && !gmon_was_written(w, (long)i))
			buf_printf(&b, "%s%s %" PRIu64, b.len ? ", " : "", w->run.code.v[i].name,
				   w->run.code.v[i].count);
	if (w->run.unknown)
		buf_printf(&b, "%sin no file %" PRIu64, b.len ? ", " : "", w->run.unknown);
	if (b.len && w->output->opts->gmonfile)
		output_stderr(w->output, "samples of other objects: %s", buf_str(&b));
	buf_free(&b);
}

/* ---- the objects that are wanted ---- */

static void gmon_want(struct gmon_writer *w, const char *name, size_t n)
{
	bool program = n == strlen("a.out") && !strncmp(name, "a.out", n);
	long i = gmon_choose(&w->run, name, n, w->output->about.program);

	if (w->written.n && !w->output->opts->gmonfile)
		gmon_fail(w, "failed to write", arena_strndup(&w->arena, name, n), "-x gmonfile is not set");
	else if (i < 0 && w->run.kernel_err)
		gmon_fail(w, "failed to read", "/proc/kallsyms", refusal_errno(w->run.kernel_err));
	else if (i < 0)
		output_stderr(w->output, "no samples in %s",
			      program ? "the program" : arena_strndup(&w->arena, name, n));
	else if (!gmon_was_written(w, i))
		gmon_write(w, i);
}

static void gmon_objects(struct gmon_writer *w)
{
	const char *wanted = w->output->opts->gmonobjects;
	bool all = wanted && !strcmp(wanted, "all");

	for (const char *s = wanted && !all ? wanted : "a.out"; *s;) {
		size_t n = strcspn(s, ",");

		gmon_want(w, s, n);
		s += n + (s[n] == ',');
	}
	for (size_t i = 0; all && i < w->run.code.n && !w->output->failed; i++)
		if (!gmon_was_written(w, (long)i) && *w->run.code.v[i].name != '[')
			gmon_write(w, (long)i);
}

static void gmon_draw(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct gmon_writer w = { .output = o, .run = { .arena = &w.arena, .names = o->symbols } };
	int r;

	arena_init(&w.arena, o->oom, o->arg);
	r = gmon_run_take(&w.run, tables, n, o->opts->gmonaddresses);
	if (r && r != -ENOMEM && o->opts->gmonaddresses)
		gmon_fail(&w, "failed to read", o->opts->gmonaddresses, refusal_errno(-r));
	else if (r == -EINVAL)
		gmon_fail(&w, "failed to write", "-O gmon", "saved aggregations have no addresses");
	else if (r)
		o->buf.failed = true;
	else if (w.run.kernel_err == ESTALE)
		gmon_fail(&w, "failed to write", "-O gmon", "the recording is not of this boot of the kernel");
	else if (gmon_rate(&w, tables, n))
		gmon_objects(&w);
	if (!o->failed && !w.written.n)
		gmon_put(&o->buf, &(struct gmon_profile){ .rate = w.rate });	/* a file without records */
	if (!o->failed)
		gmon_rest(&w);
	gmon_run_free(&w.run);
	arena_free(&w.arena);
}

/* A terminal would interpret control characters in these bytes. */
static void gmon_begin(struct output *o)
{
	static const struct profile_format none;

	profile_begin(o, &none);
	if (!isatty(fileno(o->file)))
		return;
	output_message(o, "refusing to write -O gmon to a terminal: use a file (-o)");
	o->failed = true;
}

const struct printer printer_gmon = {
	.pure = true, .addresses = true, .begin = gmon_begin, .action = profile_message,
	.record_end = profile_message_end,
	.aggregations = gmon_draw, .probes = list_text_head, .probe = list_text_probe, .note = profile_note,
};
