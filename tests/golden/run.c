/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Golden tests: the interpreter runs NAME.d on the events of NAME.ev, with the real session, consumer and printer. The
 * output must equal NAME.out, and the messages NAME.err (none if there is no such file).
 * NAME.args: macro arguments, one per line; a line "-x name=value" sets an option instead. Without NAME.ev, only BEGIN
 * and END run. A last line "status N" in NAME.err is the exit status (default 0).
 * Each test also runs with -O json: the output must be valid JSON, one object per line, and equal NAME.json if that
 * exists, with the same messages and status. And as pictures: speedscope must be JSON, pprof a profile (shown by
 * tests/lib/profile.h), html the page with JSON in it; each must equal NAME.FORMAT if that exists. There, the output of
 * actions is among the messages, which are compared only with a NAME.picerr.
 *
 *	run [-v] [PATH/NAME.d ...]	without paths all of $SRC/tests/golden. Produces TAP; -v shows the output.
 */
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "engine/dtr.h"
#include "tests/lib/jsoncheck.h"
#include "tests/lib/profile.h"
#include "tests/lib/replay.h"

struct golden_test {
	struct arena arena;
	const char *format;		/* of the output: "text", "json" */
	const char *path;		/* .../NAME without its ending */
	struct replay replay;
	struct buf err;
	char *out;
	size_t out_len;
	VEC(const char *) args;
};

static const char *source_dir(void)
{
	const char *src = getenv("SRC");

	return src ? src : ".";
}

static void test_message(void *arg, const char *text)
{
	struct golden_test *t = arg;

	buf_puts(&t->err, text);
}

/* The file NAME.ENDING, "" if there is none. */
static const char *test_file(struct golden_test *t, const char *ending, bool *there)
{
	struct buf b = { 0 };
	int r = buf_read_file(&b, arena_printf(&t->arena, "%s.%s", t->path, ending));
	const char *text = arena_strndup(&t->arena, buf_str(&b), b.len);

	if (there)
		*there = r == 0;
	buf_free(&b);
	return text;
}

static int test_option(struct golden_test *t, struct dtr *d, const char *text)
{
	const char *eq = strchr(text, '=');

	return dtr_option(d, eq ? arena_strndup(&t->arena, text, eq - text) : text, eq ? eq + 1 : NULL);
}

static int test_arguments(struct golden_test *t, struct dtr *d, const char *script)
{
	char *text = arena_strdup(&t->arena, test_file(t, "args", NULL)), *save = NULL;
	int r = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "-x ", 3))
			r |= test_option(t, d, line + 3);
		else
			*VEC_ADD(&t->arena, &t->args) = line;
	}
	dtr_arguments(d, script, t->args.v, t->args.n);
	return r;
}

static int test_session(struct golden_test *t, struct dtr *d)
{
	const char *script = arena_printf(&t->arena, "%s.d", t->path);

	if (dtr_option(d, "oformat", t->format) < 0 || test_arguments(t, d, script) < 0 ||
	    dtr_add_file(d, script, NULL) < 0 || dtr_compile(d) < 0)
		return 1;
	dtr_report_matches(d);
	if (dtr_go(d) < 0)
		return 1;
	while (!t->replay.done && dtr_work(d) == DTR_MORE)
		;
	dtr_finish(d);
	return dtr_status(d);
}

/* Removes the folder from the path of the script in messages, as it differs between machines. */
static char *test_nameless(struct golden_test *t, const char *given)
{
	char *dir = arena_strdup(&t->arena, t->path), *slash = strrchr(dir, '/');
	struct buf b = { 0 };
	char *text;

	if (slash)
		slash[1] = '\0';
	for (const char *s = given; *s;) {
		if (slash && !strncmp(s, dir, strlen(dir)))
			s += strlen(dir);
		else
			buf_putc(&b, *s++);
	}
	text = arena_strdup(&t->arena, buf_str(&b));
	buf_free(&b);
	return text;
}

/* Reports the first line that differs. */
static bool test_same(const char *what, const char *got, const char *want)
{
	unsigned line = 1;

	if (!strcmp(got, want))
		return true;
	while (*got && *want) {
		size_t g = strcspn(got, "\n"), w = strcspn(want, "\n");

		if (g != w || memcmp(got, want, g) || got[g] != want[w])
			break;
		got += g + 1;
		want += w + 1;
		line++;
	}
	printf("# %s differs at line %u\n# got:  \"%.*s\"\n# want: \"%.*s\"\n", what, line, (int)strcspn(got, "\n"),
	       got,
	       (int)strcspn(want, "\n"), want);
	return false;
}

static bool test_text(struct golden_test *t)
{
	bool there;
	const char *want = test_file(t, "out", &there);

	if (!there)
		printf("# %s.out is missing\n", t->path);
	return test_same("output", t->out ? t->out : "", want) && there;
}

static bool test_json(struct golden_test *t)
{
	unsigned line;
	const char *wrong = json_check_lines(t->out ? t->out : "", t->out_len, &line), *want;
	bool there;

	if (wrong)
		printf("# line %u of the JSON: %s\n", line, wrong);
	want = test_file(t, "json", &there);
	return (!there || test_same("JSON", test_nameless(t, t->out ? t->out : ""), want)) && !wrong;
}

/* ---- pictures ---- */

static const char *check_json(struct golden_test *t, struct buf *shown)
{
	size_t at;

	buf_put(shown, t->out, t->out_len);
	return json_check(t->out, t->out_len, &at);
}

static const char *check_nothing(struct golden_test *t, struct buf *shown)
{
	buf_put(shown, t->out, t->out_len);
	return NULL;
}

static const char *check_profile(struct golden_test *t, struct buf *shown)
{
	return profile_show(shown, t->out, t->out_len);
}

/* The data of the page; it must not end the HTML element that contains it. */
static const char *check_page(struct golden_test *t, struct buf *shown)
{
	static const char begin[] = "type=\"application/json\">", end[] = "</script>";
	char *from = strstr(t->out, begin), *to = from ? strstr(from, end) : NULL;
	size_t at;

	if (!to)
		return "no data in it";
	from += sizeof begin - 1;
	buf_put(shown, from, (size_t)(to - from));
	buf_putc(shown, '\n');
	if (memchr(from, '<', (size_t)(to - from)))
		return "a '<' within the data";
	return json_check(shown->data, shown->len, &at);
}

static const struct golden_picture {
	const char *format;
	const char *(*check)(struct golden_test *t, struct buf *shown);
} pictures[] = {
	{ "folded", check_nothing }, { "speedscope", check_json }, { "pprof", check_profile }, { "html", check_page },
};

static bool test_picture(struct golden_test *t, const struct golden_picture *p, bool show)
{
	struct buf shown = { 0 };
	bool there, ok = true;
	const char *want = test_file(t, p->format, &there), *messages, *wrong = NULL;

	/* a script that does not compile has no picture */
	if (t->out && t->out_len)
		wrong = p->check(t, &shown);
	if (show)
		printf("---- %s: %s\n%s---- messages\n%s----\n", t->path, p->format, buf_str(&shown), buf_str(&t->err));
	if (wrong) {
		printf("# %s: %s\n", p->format, wrong);
		ok = false;
	}
	if (there)
		ok &= test_same(p->format, test_nameless(t, buf_str(&shown)), want);
	messages = test_file(t, "picerr", &there);
	if (there && !strcmp(p->format, "folded"))
		ok &= test_same("messages", test_nameless(t, buf_str(&t->err)), messages);
	buf_free(&shown);
	return ok;
}

static const struct golden_picture *picture_of(const char *format)
{
	for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++)
		if (!strcmp(pictures[i].format, format))
			return &pictures[i];
	return NULL;
}

static bool test_compare(struct golden_test *t, int status, bool show)
{
	char *err = test_nameless(t, buf_str(&t->err));
	bool ok;

	if (picture_of(t->format))
		return test_picture(t, picture_of(t->format), show);
	if (status)
		err = arena_printf(&t->arena, "%sstatus %d\n", err, status);
	if (show)
		printf("---- %s: output\n%s---- messages\n%s----\n", t->path, t->out ? t->out : "", err);
	ok = strcmp(t->format, "json") ? test_text(t) : test_json(t);
	return test_same("messages", err, test_file(t, "err", NULL)) && ok;
}

static bool test_run(const char *path, const char *format, bool show)
{
	struct golden_test t = { .format = format };
	struct dtr_config config = {
		.progname = "dtr", .message = test_message, .arg = &t,
	};
	size_t n = strlen(path);
	struct dtr *d;
	int status;
	bool ok;

	arena_init(&t.arena, NULL, NULL);
	config.share = arena_printf(&t.arena, "%s/share", source_dir());
	t.path = arena_strndup(&t.arena, path, n > 2 && !strcmp(path + n - 2, ".d") ? n - 2 : n);
	t.replay.src.text = test_file(&t, "ev", NULL);
	t.replay.src.len = strlen(t.replay.src.text);
	t.replay.src.name = arena_printf(&t.arena, "%s.ev", t.path);
	config.out = open_memstream(&t.out, &t.out_len);
	d = config.out ? dtr_open(&config) : NULL;
	if (d)
		session_use(d, &backend_replay, &t.replay);
	status = d ? test_session(&t, d) : -1;
	dtr_close(d);
	if (config.out)
		fclose(config.out);
	ok = test_compare(&t, status, show);
	free(t.out);
	buf_free(&t.err);
	arena_free(&t.arena);
	return ok;
}

/* There must be no files without a script, as they would never be used. */
static bool test_no_orphans(void)
{
	static const char endings[] = "{ev,out,err,args,json,folded,speedscope,pprof,html,picerr}";
	char path[4096];
	glob_t g = { 0 };
	bool ok = true;

	snprintf(path, sizeof path, "%s/tests/golden/*.%s", source_dir(), endings);
	glob(path, GLOB_BRACE, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		snprintf(path, sizeof path, "%s", g.gl_pathv[i]);
		strcpy(strrchr(path, '.'), ".d");
		if (access(path, R_OK)) {
			printf("# %s has no script\n", g.gl_pathv[i]);
			ok = false;
		}
	}
	globfree(&g);
	return ok;
}

int main(int argc, char **argv)
{
	bool show = argc > 1 && !strcmp(argv[1], "-v"), all;
	char pattern[4096];
	char **paths = argv + 1 + show;
	glob_t g = { 0 };
	int failed = 0, n = 0;

	setenv("TZ", "UTC", 1);
	tzset();
	all = !*paths;
	snprintf(pattern, sizeof pattern, "%s/tests/golden/*.d", source_dir());
	if (all && glob(pattern, 0, NULL, &g) != 0) {
		printf("Bail out! no %s\n", pattern);
		return 1;
	}
	if (all)
		paths = g.gl_pathv;
	for (; paths[n]; n++) {
		bool text = test_run(paths[n], "text", show), ok = test_run(paths[n], "json", show) && text;
		const char *name = strrchr(paths[n], '/');

		for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++)
			ok &= test_run(paths[n], pictures[i].format, show);
		printf("%sok %d - %s\n", ok ? "" : "not ", n + 1, name ? name + 1 : paths[n]);
		failed += !ok;
	}
	if (all) {
		bool ok = test_no_orphans();

		printf("%sok %d - each file belongs to a script\n", ok ? "" : "not ", ++n);
		failed += !ok;
	}
	printf("1..%d\n", n);
	globfree(&g);
	return failed != 0;
}
