/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merging is associative and commutative: random events, dealt out at random to 2 to 8 runs of the same script, each
 * run by the interpreter with -x aggsave; the files added up in random order, two or more at a time, until one is
 * left. It must be, byte for byte, the file of the run that saw all events, and print what that run has printed
 * itself.
 *
 *	test_merge [RUNS [SEED [FOLDER]]]	speaks TAP; the files of a few small runs are kept in the folder
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "engine/dtr.h"
#include "tests/lib/replay.h"

#define KERNEL 0xffffffff81000100ull
#define USER 0x200000ull

enum { MOST_PARTS = 8, FRAMES = 6, SYMBOLS = 40 };

/* Every function, every type of key. */
static const char script[] =
	"#pragma D option quiet\n"
	"#pragma D option strsize=12\n"		/* longer strings are cut */
	"profile-97 {\n"
	"	@ = count();\n"
	"	@n[execname, pid] = count();\n"
	"	@s[execname, (char)uregs[R_R15], (unsigned short)uregs[R_R15], (uint32_t)uregs[R_R14], uregs[R_R14], "
	"(void *)uregs[R_R15]] = sum((int64_t)uregs[R_R15]);\n"
	"	@mi[cpu] = min((int64_t)uregs[R_R15]);\n"
	"	@ma[cpu] = max((int64_t)uregs[R_R14]);\n"
	"	@av[execname] = avg((int64_t)uregs[R_R15]);\n"
	"	@sd = stddev((int64_t)uregs[R_R15]);\n"
	"	@sdk[execname] = stddev((int64_t)uregs[R_R14] / 1000);\n"
	"	@q[execname] = quantize((int64_t)uregs[R_R15]);\n"
	"	@qw = quantize((int64_t)uregs[R_R14], (int)uregs[R_R15] % 7 - 3);\n"
	"	@l[cpu] = lquantize((int64_t)uregs[R_R15], -100, 100, 7);\n"
	"	@ll[execname] = llquantize((int64_t)uregs[R_R14], 10, 0, 9, 20);\n"
	"	@k[stack(4)] = count();\n"
	"	@u[ustack(), execname] = sum(1);\n"
	"	@both[stack(), ustack(3), cpu] = quantize((int64_t)uregs[R_R15]);\n"
	"	@sy[sym(arg0), mod(arg0)] = count();\n"
	"	@nn[cpu] = sum((int64_t)uregs[R_R15]);\n"
	"	@cut[strjoin(execname, lltostr((int64_t)uregs[R_R14])), substr(execname, 1), \"\"] = count();\n"
	"	@us[usym(arg1), umod(arg1), uaddr(arg1)] = max((int64_t)uregs[R_R15]);\n"
	"}\n"
	"END { normalize(@nn, 7); }\n";

struct merge_test {
	struct arena arena;
	uint64_t seed;
	const char *dir;
	unsigned nfiles, nevents;
};

static uint64_t next(struct merge_test *t)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return t->seed;
}

static uint64_t below(struct merge_test *t, uint64_t n)
{
	return next(t) % n;
}

/* Small numbers, mostly; sometimes the extremes. */
static uint64_t value(struct merge_test *t)
{
	static const uint64_t rare[] = { 0, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, 1ull << 32, 0x80, 0xffff };

	if (!below(t, 20))
		return rare[below(t, sizeof rare / sizeof rare[0])];
	return below(t, 4) ? below(t, 300) - 150 : next(t) >> below(t, 64);
}

/* Addresses are in the order of their symbols, so that the output is, too. Those below have no symbols. */
static void put_symbols(struct buf *b)
{
	for (unsigned i = 0; i < SYMBOLS; i++) {
		buf_printf(b, "ksym 0x%llx 0x100 vmlinux k%02u\n", KERNEL + i * 0x100ull, i);
		buf_printf(b, "usym 7 0x%llx 0x100 a.out u%02u\n", USER + i * 0x100ull, i);
	}
}

static uint64_t address(struct merge_test *t, uint64_t base)
{
	return base - 0x100 + below(t, SYMBOLS + 1) * 0x100 + (below(t, 2) ? 0x10 + below(t, 3) * 0x40 : 0);
}

static void put_stack(struct merge_test *t, struct buf *b, const char *name, uint64_t base)
{
	unsigned n = (unsigned)below(t, FRAMES);

	for (unsigned i = 0; i < n; i++)
		buf_printf(b, "%s%s0x%llx", i ? "," : name, i ? "" : "=", (unsigned long long)address(t, base));
	if (n)
		buf_putc(b, ' ');
}

static void put_event(struct merge_test *t, struct buf *b)
{
	static const char *const names[] = { "sh", "cc1", "a;b", "x y", "very-long-name" };

	buf_printf(b, "profile-97 pid=7 tid=%llu cpu=%llu comm=", 7 + (unsigned long long)below(t, 3),
		   (unsigned long long)below(t, 4));
	for (const char *s = names[below(t, 5)]; *s; s++)
		buf_putc(b, *s == ' ' ? '_' : *s);
	buf_putc(b, ' ');
	put_stack(t, b, "stack", KERNEL);
	put_stack(t, b, "ustack", USER);
	buf_printf(b, "arg0=0x%llx arg1=0x%llx uregs=0x%llx,0x%llx\n", (unsigned long long)address(t, KERNEL),
		   (unsigned long long)address(t, USER), (unsigned long long)value(t), (unsigned long long)value(t));
}

static void message(void *arg, const char *text)
{
	(void)arg;
	printf("# %s", text);
}

static struct dtr_config config_of(FILE *out)
{
	const char *src = getenv("SRC");
	static char share[4096];

	snprintf(share, sizeof share, "%s/share", src ? src : ".");
	return (struct dtr_config){
		.progname = "dtr", .out = out, .message = message, .share = share,
	};
}

static const char *new_file(struct merge_test *t)
{
	return arena_printf(&t->arena, "%s/%u", t->dir, t->nfiles++);
}

/* The file that a run on these events saves, and its output. NULL: it failed. */
static const char *run(struct merge_test *t, const struct buf *events, char **printed)
{
	const char *file = new_file(t);
	struct replay r = { .src = { .name = "events", .text = buf_str(events), .len = events->len } };
	size_t len;
	FILE *out = open_memstream(printed, &len);
	struct dtr_config config = config_of(out);
	struct dtr *d = dtr_open(&config);
	int bad;

	session_use(d, &backend_replay, &r);
	bad = dtr_option(d, "aggsave", file) < 0 || dtr_add_text(d, script, DTR_PROBE) < 0 || dtr_compile(d) < 0 ||
	      dtr_go(d) < 0;
	while (!bad && !r.done && dtr_work(d) == DTR_MORE)
		;
	bad = bad || dtr_finish(d) < 0;
	dtr_close(d);
	fclose(out);
	return bad ? NULL : file;
}

static const char *merge(struct merge_test *t, const char *const *files, unsigned n, char **printed)
{
	const char *file = new_file(t);
	size_t len;
	FILE *out = open_memstream(printed, &len);
	struct dtr_config config = config_of(out);
	struct dtr *d = dtr_open(&config);
	int bad = dtr_merge(d, files, n, file, true) < 0;

	dtr_close(d);
	fclose(out);
	return bad ? NULL : file;
}

/* Adds up a few at a time, until one is left. */
static const char *merge_all(struct merge_test *t, const char **files, unsigned n)
{
	char *printed = NULL;

	while (n > 1) {
		unsigned k = 2 + (unsigned)below(t, n - 1);

		for (unsigned i = 0; i < n; i++) {
			unsigned j = (unsigned)below(t, n);
			const char *x = files[i];

			files[i] = files[j];
			files[j] = x;
		}
		files[n - k] = merge(t, files + n - k, k, &printed);
		free(printed);
		printed = NULL;
		if (!files[n - k])
			return NULL;
		n -= k - 1;
	}
	return files[0];
}

static bool same_file(const char *a, const char *b)
{
	struct buf x = { 0 }, y = { 0 };
	bool same = !buf_read_file(&x, a) && !buf_read_file(&y, b) && x.len == y.len && !memcmp(x.data, y.data, x.len);

	buf_free(&x);
	buf_free(&y);
	return same;
}

static bool test_one(struct merge_test *t)
{
	struct buf all = { 0 }, part[MOST_PARTS] = { 0 }, one = { 0 };
	unsigned nparts = 2 + (unsigned)below(t, MOST_PARTS - 1), nevents = (unsigned)below(t, t->nevents);
	const char *whole, *sum = NULL, *files[MOST_PARTS];
	char *printed = NULL, *again = NULL;
	bool ok = true;

	put_symbols(&all);
	for (unsigned i = 0; i < nparts; i++)
		put_symbols(&part[i]);
	for (unsigned i = 0; i < nevents; i++) {
		struct buf *p = &part[below(t, nparts)];

		buf_reset(&one);
		put_event(t, &one);
		buf_put(&all, one.data, one.len);
		buf_put(p, one.data, one.len);
	}
	whole = run(t, &all, &printed);
	for (unsigned i = 0; ok && i < nparts; i++) {
		files[i] = run(t, &part[i], &again);
		ok = files[i];
		free(again);
		again = NULL;
	}
	sum = ok ? merge_all(t, files, nparts) : NULL;
	ok = whole && sum && same_file(whole, sum);
	if (!ok)
		printf("# %u events in %u parts: the sum is another\n", nevents, nparts);
	if (ok) {
		merge(t, &sum, 1, &again);
		ok = !strcmp(printed, again);
		if (!ok)
			printf("# %u events: what is printed differs\n", nevents);
	}
	free(printed);
	free(again);
	buf_free(&one);
	buf_free(&all);
	for (unsigned i = 0; i < nparts; i++)
		buf_free(&part[i]);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 40, failed = 0;
	struct merge_test t = { .seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x9e3779b97f4a7c15 };
	char made[] = "/tmp/dtr-merge-XXXXXX", *dir = argc > 3 ? argv[3] : mkdtemp(made);

	arena_init(&t.arena, NULL, NULL);
	if (!dir) {
		printf("Bail out! no folder in /tmp\n");
		return 1;
	}
	t.dir = dir;
	t.nevents = argc > 3 ? 40 : 400;
	for (unsigned i = 0; i < n; i++) {
		uint64_t seed = t.seed;
		bool ok = test_one(&t);

		if (!ok)
			printf("# test_merge 1 0x%llx\n", (unsigned long long)seed);
		failed += !ok;
		for (; argc <= 3 && t.nfiles; t.nfiles--)
			unlink(arena_printf(&t.arena, "%s/%u", dir, t.nfiles - 1));
	}
	printf("%sok 1 - %u random splits, added up in random order, are the undivided run\n1..1\n", failed ? "not " :
	       "", n);
	if (argc <= 3)
		rmdir(dir);
	arena_free(&t.arena);
	return failed != 0;
}
