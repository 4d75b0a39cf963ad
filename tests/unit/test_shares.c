/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shares of samples: the scripts of dtr kprof on known samples, resolved with a list of symbols like /proc/kallsyms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/dtr.h"
#include "engine/output/shares/shares.h"
#include "tests/lib/replay.h"
#include "tests/lib/symbol_list.h"

/* ---- a session ---- */

static struct kallsyms *list;		/* the symbols of the kernel */

static void find_kernel(void *arg, uint64_t addr, struct symbol *out)
{
	(void)arg;
	kallsyms_find(list, addr, out);
}

static void find_user(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	(void)arg, (void)pid, (void)addr, (void)at;
	*out = (struct symbol){ 0 };
}

static const struct symbol_ops *symbols_of_list(struct backend *b, void **arg)
{
	static const struct symbol_ops ops = { .kernel = find_kernel, .user = find_user };

	(void)b, (void)arg;
	return &ops;
}

static void take_message(void *arg, const char *text)
{
	buf_puts(arg, text);
}

struct run {
	const char *script;		/* in share/tools; or the text of a script, if it has a brace */
	const char *events, *format;
	const char *args[3];		/* $1... */
	bool (*account)(struct backend *b, unsigned probe, int cpu, struct dtr_account *out);
};

static void add_script(struct dtr *t, const char *share, const char *script)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/tools/%s", share, script);
	if (strchr(script, '{'))
		assert_int_equal(dtr_add_text(t, script, DTR_PROBE), 0);
	else
		assert_int_equal(dtr_add_file(t, path, NULL), 0);
}

/* Returns what the session prints; the caller frees it. */
static char *output_of(const struct run *r)
{
	char share[1024], *text = NULL;
	struct backend_ops ops = backend_replay;
	const struct backend_accounts accounts = { .account = r->account };
	struct replay events = { .src = { .text = r->events, .name = "events" } };
	struct buf said = { 0 };
	struct dtr_config config = {
		.progname = "dtr", .message = take_message, .arg = &said, .share = share,
	};
	const char *src = getenv("SRC"), *args[3];
	size_t size;
	struct dtr *t;

	snprintf(share, sizeof share, "%s/share", src ? src : ".");
	ops.symbols = &(const struct backend_symbols){ .symbols = symbols_of_list };
	ops.accounts = r->account ? &accounts : NULL;
	config.out = open_memstream(&text, &size);
	t = dtr_open(&config);
	session_use(t, &ops, &events);
	dtr_option(t, "nolibs", NULL);
	dtr_option(t, "oformat", r->format ? r->format : "text");
	memcpy(args, r->args, sizeof args);
	dtr_arguments(t, "script", args, args[0] ? 3 : 0);
	add_script(t, share, r->script);
	assert_int_equal(dtr_compile(t), 0);
	assert_int_equal(dtr_go(t), 0);
	while (!events.done && dtr_work(t) == DTR_MORE)
		;
	dtr_finish(t);
	dtr_close(t);
	fclose(config.out);
	if (said.len && !r->account)
		fail_msg("%s", buf_str(&said));
	buf_free(&said);
	return text;
}

static void expect_output(const struct run *r, const char *want)
{
	char *got = output_of(r);

	assert_string_equal(got, want);
	free(got);
}

/* ---- the example of M. J. Bach, "The Design of the UNIX Operating System" (1986), figures 8.11 and 8.12 ---- */

#define KERNEL "ffffffff810000"	/* and two digits of the address */

static const char book_symbols[] =
	KERNEL "64 T bread\n" KERNEL "96 T breada\n" KERNEL "c8 T bwrite\n"
	"ffffffff8100012c T brelse\nffffffff81000190 T getblk\n";

/* 110 330 145 user 125 440 130 320 user 104 */
static const char book_samples[] =
	"profile-997 pid=1 arg0=0xffffffff8100006e\nprofile-997 pid=1 arg0=0xffffffff8100014a\n"
	"profile-997 pid=1 arg0=0xffffffff81000091\nprofile-997 pid=1 arg1=0x401000\n"
	"profile-997 pid=1 arg0=0xffffffff8100007d\nprofile-997 pid=1 arg0=0xffffffff810001b8\n"
	"profile-997 pid=1 arg0=0xffffffff81000082\nprofile-997 pid=1 arg0=0xffffffff81000140\n"
	"profile-997 pid=1 arg1=0x401000\nprofile-997 pid=1 arg0=0xffffffff81000068\n";

static void test_book(void **state)
{
	(void)state;
	list = symbol_list(book_symbols, NULL);
	expect_output(&(struct run){ .script = "kprof.d", .events = book_samples }, "\n"
		"   SAMPLES     SHARE   95 % INTERVAL        ROUTINE\n"
		"         5   50.00 %    23.66 ..  76.34 %   vmlinux`bread\n"
		"         2   20.00 %     5.67 ..  50.98 % ~ user\n"
		"         2   20.00 %     5.67 ..  50.98 % ~ vmlinux`brelse\n"
		"         1   10.00 %     1.79 ..  40.42 % ~ vmlinux`getblk\n"
		"Samples: 10\n\n" SHARES_TIED "\n");
	kallsyms_close(list);
}

/* ---- user, idle, modules, CPUs ---- */

static const char symbols[] =
	"ffffffff81000000 T work\nffffffff81000100 t default_idle\nffffffff81000200 t mwait_idle.isra.0\n"
	"ffffffff81000300 T menu_select\nffffffff81000400 T interrupt\nffffffffc0000000 t ext4_read\t[ext4]\n"
	"ffffffffc0000100 t ext4_write\t[ext4]\n";

/* The idle thread: twice in its loop, once before it, once in an interrupt. */
static const char samples[] =
	"profile-997 cpu=0 pid=0 arg0=0xffffffff81000104\nprofile-997 cpu=1 pid=0 arg0=0xffffffff81000210\n"
	"profile-997 cpu=0 pid=0 arg0=0xffffffff81000300\nprofile-997 cpu=1 pid=0 arg0=0xffffffff81000400\n"
	"profile-997 cpu=0 pid=9 arg0=0xffffffffc0000001\nprofile-997 cpu=0 pid=9 arg0=0xffffffffc0000101\n"
	"profile-997 cpu=1 pid=9 arg0=0xffffffff81000000\nprofile-997 cpu=1 pid=8 arg1=0x1\n"
	"profile-997 cpu=1 pid=7 arg1=0x2\n";

static void test_buckets(void **state)
{
	(void)state;
	list = symbol_list(symbols, NULL);
	expect_output(&(struct run){ .script = "kprof.d", .events = samples }, "\n"
		"   SAMPLES     SHARE   95 % INTERVAL        ROUTINE\n"
		"         2   22.22 %     6.32 ..  54.74 %   idle\n"
		"         2   22.22 %     6.32 ..  54.74 % ~ user\n"
		"         1   11.11 %     1.99 ..  43.50 % ~ ext4`ext4_read\n"
		"         1   11.11 %     1.99 ..  43.50 % ~ ext4`ext4_write\n"
		"         1   11.11 %     1.99 ..  43.50 % ~ vmlinux`interrupt\n"
		"         1   11.11 %     1.99 ..  43.50 % ~ vmlinux`menu_select\n"
		"         1   11.11 %     1.99 ..  43.50 % ~ vmlinux`work\n"
		"Samples: 9\n\n" SHARES_TIED "\n");
	expect_output(&(struct run){ .script = "kprof/modules.d", .events = samples }, "\n"
		"   SAMPLES     SHARE   95 % INTERVAL        MODULE\n"
		"         3   33.33 %    12.06 ..  64.58 %   vmlinux\n"
		"         2   22.22 %     6.32 ..  54.74 % ~ ext4\n"
		"         2   22.22 %     6.32 ..  54.74 % ~ idle\n"
		"         2   22.22 %     6.32 ..  54.74 % ~ user\n"
		"Samples: 9\n\n" SHARES_TIED "\n");
	expect_output(&(struct run){ .script = "kprof/modules.d", .events = samples, .args = { "1d", "997", "1" } },
		"\nCPU 0\n"
		"   SAMPLES     SHARE   95 % INTERVAL        MODULE\n"
		"         2   50.00 %    15.00 ..  85.00 %   ext4\n"
		"         1   25.00 %     4.56 ..  69.94 % ~ idle\n"
		"         1   25.00 %     4.56 ..  69.94 % ~ vmlinux\n"
		"Samples: 4\n\nCPU 1\n"
		"   SAMPLES     SHARE   95 % INTERVAL        MODULE\n"
		"         2   40.00 %    11.76 ..  76.93 %   user\n"
		"         2   40.00 %    11.76 ..  76.93 % ~ vmlinux\n"
		"         1   20.00 %     3.62 ..  62.45 % ~ idle\n"
		"Samples: 5\n\n" SHARES_TIED "\n");
	expect_output(&(struct run){ .script = "kprof.d", .events = "" }, "\n"
		"   SAMPLES     SHARE   95 % INTERVAL        ROUTINE\nSamples: 0\n");
	kallsyms_close(list);
}

static void test_formats(void **state)
{
	struct run json = { .script = "kprof.d", .events = book_samples, .format = "json" };
	struct run html = { .script = "kprof.d", .events = book_samples, .format = "html" };
	char *got;

	(void)state;
	list = symbol_list(book_symbols, NULL);
	got = output_of(&json);
	assert_non_null(strstr(got, "{\"type\":\"share\",\"aggregation\":\"_\",\"group\":null,"
			       "\"name\":\"vmlinux`bread\",\"count\":5,\"share\":0.5,\"low\":0.236593,"
			       "\"high\":0.763407,"
			       "\"tied\":false}\n"));
	assert_non_null(strstr(got, "{\"type\":\"shares\",\"aggregation\":\"_\",\"group\":null,\"count\":10,"
			       "\"idle\":0,\"lost\":null}\n"));
	free(got);
	got = output_of(&html);
	assert_non_null(strstr(got, "<tr><td>5</td><td>50.00 %</td><td>23.66 .. 76.34 %</td><td></td>"));
	assert_non_null(strstr(got, "<td class=\"text\">vmlinux`bread</td>"));
	free(got);
	kallsyms_close(list);
}

/* Any script: keys are separated by commas, other functions are printed as always. */
static void test_scripts(void **state)
{
	static const char script[] =
		"#pragma D option quiet\n#pragma D option shares=all\n"
		"profile-997 { @a[pid, arg0 ? \"k<\" : \"u\"] = count(); @sum[pid] = sum(pid); }";
	struct run r = { .script = script, .events = "profile-997 pid=7\nprofile-997 pid=8\nprofile-997 pid=7\n" };

	(void)state;
	list = symbol_list(symbols, NULL);
	expect_output(&r, "\n"
		"   SAMPLES     SHARE   95 % INTERVAL        KEY\n"
		"         2   66.67 %    20.77 ..  93.85 %   7, u\n"
		"         1   33.33 %     6.15 ..  79.23 % ~ 8, u\n"
		"Samples: 3\n\n" SHARES_TIED "\n\n"
		"        8                8\n        7               14\n");
	kallsyms_close(list);
}

/* ---- samples that were not taken ---- */

/* CPU 0 has lost 4 samples; on CPU 1 the kernel did not deliver 100 while it was idle, and lost one. */
static bool lossy(struct backend *b, unsigned probe, int cpu, struct dtr_account *out)
{
	(void)b;
	*out = (struct dtr_account){
		.probe = "profile-997", .cpu = cpu, .each_cpu = true, .causes = true, .interval = 1003009,
		.expected = cpu ? cpu < 0 ? 114 : 106 : 8, .delivered = cpu ? cpu < 0 ? 9 : 5 : 4,
		.lost = { [DTR_LOST_IDLE] = cpu ? 100 : 0, [DTR_LOST_LATE] = cpu ? cpu < 0 ? 5 : 1 : 4 },
	};
	return probe == 0 && cpu < 2;
}

static void test_losses(void **state)
{
	(void)state;
	list = symbol_list(symbols, NULL);
	expect_output(&(struct run){ .script = "kprof/modules.d", .events = samples, .account = lossy }, "\n"
		"   SAMPLES     SHARE   95 % INTERVAL        MODULE\n"
		"       102   93.58 %    82.50 ..  96.99 %   idle\n"
		"         3    2.75 %     0.90 ..  13.24 %   vmlinux\n"
		"         2    1.83 %     0.48 ..  12.13 % ~ ext4\n"
		"         2    1.83 %     0.48 ..  12.13 % ~ user\n"
		"Samples: 109, 5 lost; 100 that an idle CPU did not deliver are counted as idle\n\n"
		SHARES_TIED "\n");
	kallsyms_close(list);
}

/* -x interval: 5 samples were lost, which makes intervals wider; those of idle CPUs do not. */
static void test_interval(void **state)
{
	static const char script[] =
		"#pragma D option quiet\n#pragma D option interval\n"
		"profile-997 { @mods[mod(arg0)] = count(); n++; @[pid] = count(); }"
		"profile-997 /n == 9/ { printa(@mods); clear(@mods); } END { trunc(@, 2); }";
	struct run r = { .script = script, .events = samples, .account = lossy };
	char *got;

	(void)state;
	list = symbol_list(symbols, NULL);
	expect_output(&r, "\n"
		"  0x0                                                               2  22.22 %   6.32 ..  54.74 %\n"
		"  ext4                                                              2  22.22 %   6.32 ..  54.74 %\n"
		"  vmlinux                                                           5  55.56 %  26.67 ..  81.12 %\n"
		"Samples: 9\n\n"
		"        9                3  33.33 %   7.57 ..  78.62 %\n"
		"        0                4  44.44 %  11.72 ..  83.66 %\n"
		"Samples: 9, 5 lost; 100 that idle CPUs did not deliver are not counted\n");
	r.format = "html";
	got = output_of(&r);
	assert_non_null(strstr(got, "\"samples\":{\"removed\":2,\"lost\":5,\"idle\":100}"));
	free(got);
	kallsyms_close(list);
}

/* ---- many rows ---- */

enum { MANY = 10000 };

static void test_many(void **state)
{
	struct buf names = { 0 }, events = { 0 };
	char *got, last[64];
	unsigned rows = 0;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		unsigned long long addr = 0xffffffff81000000ull + i * 16;

		buf_printf(&names, "%llx T routine_%05u\n", addr, i);
		for (unsigned k = 0; k <= (i == MANY / 2); k++)
			buf_printf(&events, "profile-997 pid=1 arg0=0x%llx\n", addr + 3);
	}
	list = symbol_list(buf_str(&names), NULL);
	got = output_of(&(struct run){ .script = "kprof.d", .events = buf_str(&events) });
	for (const char *s = got; (s = strstr(s, "vmlinux`routine_")); s++)
		rows++;
	assert_int_equal(rows, MANY);
	snprintf(last, sizeof last, "Samples: %d\n", MANY + 1);
	assert_non_null(strstr(got, last));
	assert_non_null(strstr(got, "         2    0.02 %     0.01 ..   0.07 %   vmlinux`routine_05000\n"));
	free(got);
	kallsyms_close(list);
	buf_free(&names);
	buf_free(&events);
}

/* ---- the idle loop ---- */

static void test_idle_names(void **state)
{
	static const char *const yes[] = {
		"vmlinux`default_idle", "intel_idle_irq", "processor_idle`acpi_idle_enter_bm", "mwait_idle.isra.0",
		"cpuidle_enter_state+0x1f", "do_idle", "powernv_idle",
	}, *const no[] = {
		"default_idl", "idle_worker", "vmlinux`tick_nohz_idle_enter", "do_idle_x", "menu_select", "idle", "",
		"vmlinux`0x10",
	};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(shares_idle(yes[i]));
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(shares_idle(no[i]));
}

/* Every function in the section of the running kernel that contains its routines for idle CPUs. */
static void test_idle_section(void **state)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long addr, start = 0, end = 0;
	char line[1024], name[512];

	(void)state;
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%llx %*c %511s", &addr, name) != 2)
			continue;
		if (!strcmp(name, "__cpuidle_text_start"))
			start = addr;
		if (!strcmp(name, "__cpuidle_text_end"))
			end = addr;
	}
	if (!start || end <= start) {
		if (f)
			fclose(f);
		skip();
	}
	rewind(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%llx %*c %511s", &addr, name) == 2 && addr >= start && addr < end &&
		    strncmp(name, "__pfx_", 6) && strncmp(name, "__cpuidle_text", 14) && !shares_idle(name))
			fail_msg("%s is not known as a routine of idle CPUs", name);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_book), cmocka_unit_test(test_buckets), cmocka_unit_test(test_formats),
		cmocka_unit_test(test_scripts), cmocka_unit_test(test_many),
		cmocka_unit_test(test_losses), cmocka_unit_test(test_interval),
		cmocka_unit_test(test_idle_names), cmocka_unit_test(test_idle_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
