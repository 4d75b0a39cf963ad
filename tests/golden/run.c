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
 * NAME.txt is a table of cases (tests/lib/cases.h): each runs in the same ways and is a test of its own.
 *
 *	run [-v] [PATH/NAME.d | PATH/NAME.txt[:LINE] ...]
 *		without paths all of $SRC/tests/golden. Produces TAP; -v shows the output.
 *	run -p PATH/NAME.txt
 *		prints the table with what the programs write now.
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
#include "tests/lib/cases.h"
#include "tests/lib/jsoncheck.h"
#include "tests/lib/profile.h"
#include "tests/lib/replay.h"

struct golden_test {
	struct arena arena;
	const char *format;		/* of the output: "text", "json" */
	const char *path;		/* .../NAME without its ending */
	const struct table_case *given;	/* instead of files */
	struct replay replay;
	struct buf err;
	const char *messages;		/* err as it is compared */
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

static const char *case_text(const struct table_case *c, const char *ending, bool *there)
{
	const struct {
		const char *ending, *text;
	} texts[] = { { "ev", c->events }, { "out", c->output }, { "err", c->messages } };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		if (strcmp(texts[i].ending, ending))
			continue;
		if (there)
			*there = true;
		return texts[i].text;
	}
	if (there)
		*there = false;
	return "";
}

/* The file NAME.ENDING, "" if there is none. */
static const char *golden_file(struct golden_test *t, const char *ending, bool *there)
{
	struct buf b = { 0 };
	int r = buf_read_file(&b, arena_printf(&t->arena, "%s.%s", t->path, ending));
	const char *text = arena_strndup(&t->arena, buf_str(&b), b.len);

	if (there)
		*there = r == 0;
	buf_free(&b);
	return text;
}

static const char *test_file(struct golden_test *t, const char *ending, bool *there)
{
	return t->given ? case_text(t->given, ending, there) : golden_file(t, ending, there);
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

	if (dtr_option(d, "oformat", t->format) < 0 || test_arguments(t, d, script) < 0)
		return 1;
	if (t->given)
		dtr_add_script(d, t->given->script, "case");
	else if (dtr_add_file(d, script, NULL) < 0)
		return 1;
	if (dtr_compile(d) < 0)
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

static void test_messages(struct golden_test *t, int status)
{
	t->messages = test_nameless(t, buf_str(&t->err));
	if (status)
		t->messages = arena_printf(&t->arena, "%sstatus %d\n", t->messages, status);
}

static bool test_compare(struct golden_test *t, int status, bool show)
{
	bool ok;

	if (picture_of(t->format))
		return test_picture(t, picture_of(t->format), show);
	test_messages(t, status);
	if (show)
		printf("---- %s: output\n%s---- messages\n%s----\n", t->path, t->out ? t->out : "", t->messages);
	ok = strcmp(t->format, "json") ? test_text(t) : test_json(t);
	return test_same("messages", t->messages, test_file(t, "err", NULL)) && ok;
}

/* Runs the script; the texts are in *t. Returns the exit status. */
static int test_execute(struct golden_test *t)
{
	struct dtr_config config = {
		.progname = "dtr", .message = test_message, .arg = t,
	};
	struct dtr *d;
	int status;

	config.share = arena_printf(&t->arena, "%s/share", source_dir());
	t->replay.src.text = test_file(t, "ev", NULL);
	t->replay.src.len = strlen(t->replay.src.text);
	t->replay.src.name = arena_printf(&t->arena, "%s.ev", t->path);
	config.out = open_memstream(&t->out, &t->out_len);
	d = config.out ? dtr_open(&config) : NULL;
	if (d)
		session_use(d, &backend_replay, &t->replay);
	status = d ? test_session(t, d) : -1;
	dtr_close(d);
	if (config.out)
		fclose(config.out);
	return status;
}

static void test_open(struct golden_test *t, const char *path, const struct table_case *given, const char *format)
{
	size_t n = strlen(path);

	*t = (struct golden_test){ .format = format, .given = given };
	arena_init(&t->arena, NULL, NULL);
	t->path = arena_strndup(&t->arena, path, n > 2 && !strcmp(path + n - 2, ".d") ? n - 2 : n);
}

static void test_close(struct golden_test *t)
{
	free(t->out);
	buf_free(&t->err);
	arena_free(&t->arena);
}

static bool test_format(const char *path, const struct table_case *given, const char *format, bool show)
{
	struct golden_test t;
	bool ok;

	test_open(&t, path, given, format);
	ok = test_compare(&t, test_execute(&t), show);
	test_close(&t);
	return ok;
}

/* In each format. */
static bool test_run(const char *path, const struct table_case *given, bool show)
{
	bool ok = test_format(path, given, "text", show);

	ok = test_format(path, given, "json", show) && ok;
	for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++)
		ok &= test_format(path, given, pictures[i].format, show);
	return ok;
}

/* ---- tests of the command line ---- */

struct golden_run {
	bool show;
	int n, failed;
};

static void run_result(struct golden_run *r, bool ok, const char *name)
{
	r->failed += !ok;
	printf("%sok %d - %s\n", ok ? "" : "not ", ++r->n, name);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The number after the last ":", 0 if there is none. */
static unsigned long wanted_line(const char *path)
{
	const char *colon = strrchr(path, ':');

	return colon ? strtoul(colon + 1, NULL, 10) : 0;
}

static void run_table(struct golden_run *r, const char *path)
{
	unsigned long line = wanted_line(path);
	struct case_table t;
	int before = r->n;
	char name[512];
	char file[4096];
	bool ok;

	snprintf(file, sizeof file, "%.*s", (int)(line ? strrchr(path, ':') - path : (long)strlen(path)), path);
	ok = !cases_read(&t, file);
	for (size_t i = 0; ok && i < t.list.n; i++) {
		const struct table_case *c = &t.list.v[i];

		if (line && (line < c->line || line > c->line + 2))
			continue;
		snprintf(name, sizeof name, "%s:%u: %s", base_name(t.path), c->line, c->reason);
		ok = test_run(t.path, c, r->show);
		if (!ok)
			printf("# %s:%u: %s\n", t.path, c->line, c->program);
		run_result(r, ok, name);
		ok = true;
	}
	if (!ok || r->n == before)
		run_result(r, false, path);
	cases_free(&t);
}

static void run_path(struct golden_run *r, const char *path)
{
	if (strstr(base_name(path), ".txt"))
		run_table(r, path);
	else
		run_result(r, test_run(path, NULL, r->show), base_name(path));
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

/* The table, each second line of a case as it would have to be for the case to pass. */
static int print_table(const char *path)
{
	struct case_table table;
	struct buf file = { 0 }, expected = { 0 };
	struct golden_test t;
	const char *at;
	unsigned line = 0;
	size_t next = 0;
	int err = cases_read(&table, path) || buf_read_file(&file, path);

	for (at = buf_str(&file); !err && *at; at += strcspn(at, "\n") + 1) {
		const struct table_case *c = next < table.list.n ? &table.list.v[next] : NULL;

		if (!c || ++line != c->line + 1) {
			printf("%.*s\n", (int)strcspn(at, "\n"), at);
			continue;
		}
		test_open(&t, path, c, "text");
		test_messages(&t, test_execute(&t));
		buf_reset(&expected);
		case_expected(&expected, t.out ? t.out : "", t.messages);
		printf("%s\n", buf_str(&expected));
		test_close(&t);
		next++;
	}
	buf_free(&expected);
	buf_free(&file);
	cases_free(&table);
	return err ? 1 : 0;
}

static void run_all(struct golden_run *r, const char *ending)
{
	char pattern[4096];
	glob_t g = { 0 };

	snprintf(pattern, sizeof pattern, "%s/tests/golden/*.%s", source_dir(), ending);
	if (glob(pattern, 0, NULL, &g))
		run_result(r, false, pattern);
	for (size_t i = 0; i < g.gl_pathc; i++)
		run_path(r, g.gl_pathv[i]);
	globfree(&g);
}

int main(int argc, char **argv)
{
	struct golden_run r = { .show = argc > 1 && !strcmp(argv[1], "-v") };
	char **paths = argv + 1 + r.show;

	setenv("TZ", "UTC", 1);
	tzset();
	if (argc == 3 && !strcmp(argv[1], "-p"))
		return print_table(argv[2]);
	for (char **path = paths; *path; path++)
		run_path(&r, *path);
	if (!*paths) {
		run_all(&r, "d");
		run_all(&r, "txt");
		run_result(&r, test_no_orphans(), "each file belongs to a script");
	}
	printf("1..%d\n", r.n);
	return r.failed != 0;
}
