/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/top.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/top/keys.h"
#include "cmd/dtr/top/page.h"
#include "cmd/dtr/top/stacks.h"

/* Bytes of output that are kept. */
enum { OUTPUT_MOST = 1 << 20 };
enum { TOP_NICE = -10 };
#define PERIOD_USUAL 1000000000ull

#define STACKS "_stacks"	/* the end of the name of an aggregation of stacks */
#define SUMMARY "modes"		/* the aggregation of share/tools/top.d that is shown as a line */
enum { PROCESS_KEYS = 2, CONTAINER_KEYS = 3, STACK_KEYS = 2 };

static int top_failed(const struct top *p, const char *text)
{
	say("%s: top: %s\n", p->prog, text);
	return -1;
}

static uint64_t top_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- output and messages ---- */

static int top_init(struct top *p)
{
	int fd = memfd_create("output", MFD_CLOEXEC);

	top_view_init(&p->view, p->arena, p->line.subject == TOP_EXACT ? "dtr top exact" : "dtr top");
	if (fd >= 0 && fcntl(fd, F_SETFL, O_APPEND) == 0)
		p->out = fdopen(fd, "a");
	if (p->out)
		return 0;
	if (fd >= 0)
		close(fd);
	return top_failed(p, "failed to make a temporary file");
}

static void top_config(void *arg, struct dtr_config *config, struct watch *w)
{
	struct top *p = arg;

	p->watch = w;
	config->out = p->out;
	config->progress = NULL;	/* it would be drawn over the screen */
	w->leave = top_term_abandon;
	w->leave_arg = &p->term;
}

static int top_check(void *arg)
{
	const struct top *p = arg;
	char reason[160];

	return top_term_possible(reason, sizeof reason) ? 0 : top_failed(p, reason);
}

static bool top_message(void *arg, const char *text)
{
	struct top *p = arg;
	size_t n = strlen(text);

	if (!p->term.curses)
		return false;
	buf_puts(&p->messages, text);
	top_view_say(&p->view, true, "%.*s", (int)(n && text[n - 1] == '\n' ? n - 1 : n), text);
	return !p->messages.failed;
}

/* Shows the last line that the session or its command has written. Returns true if there is a new one. */
static bool top_output(struct top *p)
{
	int fd = fileno(p->out);
	long long size = lseek(fd, 0, SEEK_END), from;
	char text[256], *line;
	ssize_t n;

	if (size <= p->shown)
		return false;
	from = size > (long long)sizeof text - 1 ? size - ((long long)sizeof text - 1) : 0;
	p->shown = size;
	n = pread(fd, text, sizeof text - 1, from);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n > 0 ? n : 0] = '\0';
	line = strrchr(text, '\n');
	if (*text)	/* empty lines replace no message */
		top_view_say(&p->view, false, "%s", line ? line + 1 : text);
	if (size > OUTPUT_MOST && ftruncate(fd, 0) == 0) {
		p->left_out += size;
		p->shown = 0;
	}
	return true;
}

static void top_print_held(struct top *p)
{
	char part[4096];
	ssize_t n;

	if (p->left_out)
		say("%s: top: %lld bytes of earlier output are left out: use -o\n", p->prog, p->left_out);
	for (off_t at = 0; (n = pread(fileno(p->out), part, sizeof part, at)) > 0; at += n)
		if (buf_write_fd(STDOUT_FILENO, part, (size_t)n) < 0)
			break;
	if (ftruncate(fileno(p->out), 0) < 0)
		return;			/* cannot fail for a file in memory */
	fputs(buf_str(&p->messages), stderr);
	buf_reset(&p->messages);
}

/* The command's input and output must not meet those of the screen. */
static int top_aside_begin(void *arg)
{
	struct top *p = arg;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), r = null;

	for (int fd = 0; fd < 3 && r >= 0; fd++) {
		if (fd && !isatty(fd))
			continue;
		p->saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		r = p->saved[fd] < 0 ? -1 : dup2(fd ? fileno(p->out) : null, fd);
	}
	if (null >= 0)
		close(null);
	return r < 0 ? top_failed(p, "failed to redirect the command's output") : 0;
}

static void top_aside_end(void *arg)
{
	struct top *p = arg;

	for (int fd = 0; fd < 3; fd++) {
		if (p->saved[fd] < 0)
			continue;
		dup2(p->saved[fd], fd);
		close(p->saved[fd]);
		p->saved[fd] = -1;
	}
}

static int top_block(void *arg)
{
	struct top *p = arg;

	return top_term_block(&p->term) < 0 ? top_failed(p, "failed to watch for signals of the terminal") : 0;
}

/* ---- tables ---- */

static struct top_table *top_find(const struct top *p, const char *name, const char *end)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < p->n_tables; i++)
		if (!strncmp(p->tables[i].name, name, n) && !strcmp(p->tables[i].name + n, end))
			return &p->tables[i];
	return NULL;
}

/* True for a table of the stacks of another one. */
static bool is_stacks(const struct top *p, const struct top_table *t)
{
	for (unsigned i = 0; i < p->n_tables; i++)
		if (top_find(p, p->tables[i].name, STACKS) == t)
			return p->tables[i].n_keys < t->n_keys;
	return false;
}

/* Have the stacks a session of their own? */
static bool is_apart(const struct top *p)
{
	return p->line.subject == TOP_CPU && !p->line.joined;
}

static struct top_tab top_tab(struct top *p, struct top_table *t)
{
	static const char *const process[] = { "PID", "NAME" }, *const thread[] = { "TID", "NAME" };
	static const char *const cpu[] = { "CPU", "PID", "NAME" };
	static const char *const container[] = { "CONTAINER", "POD", "IMAGE" };
	struct top_tab tab = { .table = t, .stacks = top_find(p, t->name, STACKS) };

	if (tab.stacks && !is_stacks(p, tab.stacks))
		tab.stacks = NULL;
	tab.sampled = p->line.subject == TOP_CPU;
	tab.apart = is_apart(p);
	if (tab.apart)
		tab.stacks = &p->deep.table;
	tab.exact = p->line.subject == TOP_EXACT;
	if (p->line.containers)
		tab.titles = tab.sampled ? container : NULL;
	else if (tab.sampled || tab.exact)
		tab.titles = t->n_keys == 3 ? cpu : !strcmp(t->name, "threads") ? thread : process;
	return tab;
}

static void top_tables(struct top *p, struct dtr *t)
{
	struct top_view *v = &p->view;
	struct dtr_agg agg;

	p->n_tables = dtr_agg_count(t);
	p->tables = arena_calloc(p->arena, p->n_tables + 1, sizeof *p->tables);
	v->tabs = arena_calloc(p->arena, p->n_tables + 1, sizeof *v->tabs);
	for (unsigned i = 0; i < p->n_tables; i++)
		if (dtr_agg(t, i, &agg))
			top_table_init(&p->tables[i], p->arena, &agg);
	for (unsigned i = 0; i < p->n_tables; i++) {
		if (p->line.subject == TOP_CPU && !strcmp(p->tables[i].name, SUMMARY))
			v->summary = &p->tables[i];
		else if (!is_stacks(p, &p->tables[i]))
			v->tabs[v->n_tabs++] = top_tab(p, &p->tables[i]);
	}
}

/* The time that all CPUs have been idle, ns: the sum of two columns of /proc/stat. */
static uint64_t top_idle(void)
{
	uint64_t idle = 0, waiting = 0;
	FILE *f = fopen("/proc/stat", "re");

	if (!f || fscanf(f, "cpu %*s %*s %*s %" SCNu64 " %" SCNu64, &idle, &waiting) != 2)
		idle = waiting = 0;
	if (f)
		fclose(f);
	return (idle + waiting) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* A row of something else than a process or a container. */
static void top_add_other(const struct top *p, struct top_table *t, const char *what, int64_t value)
{
	const struct dtr_key text = { .kind = DTR_TEXT, .text = what }, none = { .kind = DTR_TEXT, .text = "" };
	const struct dtr_key process[] = { { .kind = DTR_INT }, text }, container[] = { text, none, none };
	struct dtr_row row = { .keys = t == p->view.summary ? &text : p->line.containers ? container : process };
	const struct top_row *before = top_table_find(t, row.keys);

	row.value = before && value < before->value ? before->value : value;	/* the kernel's numbers can fall */
	row.n_keys = t->n_keys;
	if (row.value)
		top_table_add(t, &row);
}

/* Timers do not interrupt a CPU that is idle: the samples that it would have had follow from its idle time. */
static void top_add_idle(struct top *p, struct top_table *t)
{
	const uint64_t idle = top_idle();

	top_add_other(p, t, t == p->view.summary ? "idle" : "(idle)",
		      idle > p->idle ? (int64_t)((idle - p->idle) / p->line.sampling) : 0);
}

/* Keys of containers.d cannot be texts, so the samples of other processes are in the summary only, which is read
 * first. */
static void top_add_others(struct top *p, struct top_table *t)
{
	const struct dtr_key mode = { .kind = DTR_TEXT, .text = "others" };
	const struct top_row *others = top_table_find(p->view.summary, &mode);

	if (others)
		top_add_other(p, t, "(others)", others->value);
}

static int top_read(struct top *p, struct dtr *t, struct top_table *table, double seconds)
{
	int r;

	top_table_begin(table, seconds);
	r = dtr_agg_rows(t, (unsigned)(table - p->tables), top_table_add, table);
	if (p->line.subject == TOP_CPU && !is_stacks(p, table))
		top_add_idle(p, table);
	if (p->line.subject == TOP_CPU && p->line.containers && table != p->view.summary)
		top_add_others(p, table);
	top_table_end(table);
	return r;
}

/* Tables of stacks are large: they are read while a row is expanded into them. */
static bool top_wanted(const struct top *p, const struct top_table *table)
{
	const struct top_tab *tab = top_view_tab(&p->view);

	if (!is_stacks(p, table))
		return true;
	return tab && tab->stacks == table && top_stacks_wanted(&p->view, tab);
}

/* Reads the aggregations; `stacks`: only those of an expanded row, now. Returns 0, or -1 after a message. */
static int top_snapshot(struct top *p, struct dtr *t, bool stacks)
{
	uint64_t now = top_now();
	double seconds = (double)(now - p->last) / 1e9;
	int r = dtr_snapshot(t);

	for (unsigned i = 0; r >= 0 && i < p->n_tables; i++)
		if (top_wanted(p, &p->tables[i]) && (!stacks || is_stacks(p, &p->tables[i])))
			r = top_read(p, t, &p->tables[i], seconds);
	if (!stacks) {
		p->last = now;
		while (p->due <= now)
			p->due += p->line.period;
	}
	return r;
}

/* ---- stacks of a session of their own ---- */

static int top_deep_prepare(void *arg, struct dtr *t)
{
	struct top *p = arg;
	const struct cmd_args *a = &p->cmd->args;
	const pid_t target = p->cmd->child.pid ? p->cmd->child.pid : a->pid;
	int r = dtr_environment(t, environ);

	for (size_t i = 0; !r && i < a->options.n; i++)
		r = dtr_option(t, a->options.v[i].name, a->options.v[i].value);
	if (target)
		dtr_target(t, target, DTR_TARGET_RUNS);
	if (!r)
		r = dtr_add_file(t, p->line.stacks, NULL);
	dtr_arguments(t, a->argv0, &p->line.rate, 1);
	return r;
}

/* Messages are shown in the last line; all of them are printed after the end. */
static bool top_deep_take(struct top *p)
{
	struct buf text = { 0 };
	bool changed = top_deep_news(&p->deep, &text);

	if (text.len)
		changed |= top_message(p, buf_str(&text));
	buf_free(&text);
	return changed;
}

static void top_refresh(struct top *p)
{
	const struct top_tab *tab = top_view_tab(&p->view);

	if (!is_apart(p)) {
		top_keys_refresh(&p->view);
		return;
	}
	top_deep_want(&p->deep, tab && top_stacks_wanted(&p->view, tab));
	top_deep_lock(&p->deep);
	top_keys_refresh(&p->view);
	top_deep_unlock(&p->deep);
}

/* ---- the loop ---- */

static void top_save(struct top *p)
{
	char name[64], reason[160];

	p->view.save = false;
	if (top_page_save(&p->view, p->prog, name, sizeof name, reason, sizeof reason) < 0)
		top_view_say(&p->view, true, "%s", reason);
	else
		top_view_say(&p->view, false, "saved as %s", name);
}

/* Handles all keys that were pressed. Returns true if the screen must be drawn; *stacks: stacks must be read. */
static bool top_keys(struct top *p, bool *stacks)
{
	bool any = false, before, after;
	int key;

	while (!p->view.quit && (key = top_term_key(&p->term)) != TOP_KEY_NONE) {
		const struct top_tab *tab = top_view_tab(&p->view);

		before = tab && top_stacks_wanted(&p->view, tab);
		top_keys_press(&p->view, key);
		tab = top_view_tab(&p->view);
		after = tab && top_stacks_wanted(&p->view, tab);
		*stacks |= after && (key == '\r' || key == '\n' || key == 'e' || !before);
		top_refresh(p);
		any = true;
		if (p->view.save)
			top_save(p);
	}
	return any;
}

/* Returns 0, or -1 after a message. */
static int top_pass(struct top *p, struct dtr *t)
{
	bool draw = top_term_signals(&p->term), all = draw, stacks = false;
	int r = 0;

	draw |= top_keys(p, &stacks);
	draw |= top_output(p);
	if (is_apart(p))
		draw |= top_deep_take(p);
	if (!p->view.paused && top_now() >= p->due) {
		r = top_snapshot(p, t, false);
		draw = true;
	} else if (stacks && !is_apart(p)) {
		r = top_snapshot(p, t, true);
	}
	if (!draw)
		return r;
	top_refresh(p);
	all |= p->view.redraw;
	p->view.redraw = false;
	top_term_draw(&p->term, &p->view, all);
	return r;
}

static void top_begin(struct top *p, struct dtr *t)
{
	static const uint64_t soon = 300000000;	/* ns: people do not wait an interval for the first rows */

	p->began = p->last = top_now();
	p->due = p->began + (p->line.period < soon ? p->line.period : soon);
	p->idle = top_idle();
	p->started = true;
	top_tables(p, t);
	if (!p->n_tables)
		top_view_say(&p->view, false, "the script has no aggregations");
	top_refresh(p);
	top_term_draw(&p->term, &p->view, true);
}

/* It takes less than 1 % of a CPU, and is needed most where others use all of them. The command, if any, has been
 * started before; a refusal does not matter. */
static void top_hurry(void)
{
	if (getpriority(PRIO_PROCESS, 0) > TOP_NICE)
		setpriority(PRIO_PROCESS, 0, TOP_NICE);
}

static enum dtr_work top_run(void *arg, struct dtr *t)
{
	struct top *p = arg;
	enum dtr_work more = DTR_MORE;
	char reason[160];

	if (top_term_open(&p->term, reason, sizeof reason) < 0) {
		top_failed(p, reason);
		return DTR_ERROR;
	}
	top_hurry();
	top_begin(p, t);
	while (more == DTR_MORE && !p->view.quit && !p->term.gone) {
		more = dtr_work(t);
		if (more == DTR_MORE && top_pass(p, t) < 0)
			more = DTR_ERROR;
	}
	p->quit = p->view.quit || p->term.gone;
	return more == DTR_MORE ? DTR_DONE : more;
}

static void top_close_terminal(struct top *p)
{
	top_term_close(&p->term);
	if (p->out)
		top_print_held(p);
}

static void top_leave(void *arg, struct dtr *t)
{
	struct top *p = arg;

	if (is_apart(p))
		top_deep_take(p);
	top_deep_close(&p->deep);
	top_close_terminal(p);
	if (p->quit || p->watch->interrupted || p->line.subject != TOP_SCRIPT)
		dtr_omit(t);
}

static void top_close(void *arg)
{
	struct top *p = arg;

	top_deep_close(&p->deep);
	top_close_terminal(p);
	for (unsigned i = 0; i < p->n_tables; i++)
		top_table_free(&p->tables[i]);
	p->n_tables = 0;
	top_view_free(&p->view);
	buf_free(&p->messages);
	if (p->out)
		fclose(p->out);
	p->out = NULL;
}

static void top_abandon(void *arg)
{
	struct top *p = arg;

	top_term_abandon(&p->term);
}

static const struct front_ops top_front = {
	.screen = true, .config = top_config, .check = top_check, .message = top_message, .abandon = top_abandon,
	.aside_begin = top_aside_begin, .aside_end = top_aside_end, .block = top_block, .close = top_close,
	.work = top_run, .end = top_leave
};

static int top_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct top *p = arena_alloc(&c->arena, sizeof *p);
	struct command_line l;

	*p = (struct top){
		.line.period = PERIOD_USUAL, .arena = &c->arena, .prog = c->args.prog, .term = { .signals = -1 },
		.saved = { -1, -1, -1 },
	};
	if (command_parse(&l, c, self, p, argc, argv))
		return l.status;
	if (top_expand(&l) < 0 || top_init(p) < 0)
		return 2;
	p->cmd = c;
	if (is_apart(p)) {
		top_deep_init(&p->deep, &c->arena,
			      (p->line.containers ? CONTAINER_KEYS : PROCESS_KEYS) + STACK_KEYS);
		p->deep.config = (struct top_deep_config){
			.session = cmd_config(c), .prepare = top_deep_prepare, .arg = p, .period = p->line.period,
		};
	}
	c->front = (struct front){ &top_front, p };
	return cmd_line(c, &l);
}

const struct command command_top = {
	.name = "top", .summary = "who is on the CPUs; tables of any script, live", .tool = true,
	.usage = "[-C] [-F RATE] [-i PERIOD] [-p PID | -c COMMAND] [exact | {-n PROBE | -s FILE}...]",
	.about = "A table that is sorted again after each period. h shows the keys; q quits. Without a script: how "
		 "much of the CPUs' time each process or container has, the kernel, user mode, idle CPUs, with 95 % "
		 "intervals; Enter shows the stacks of a row. With -n or -s each aggregation of the script is a table; "
		 "histograms are heat maps over time.\n",
	.more = "\nWith -n and -s all options of dtr work that concern the script and its target (-C, too).\n",
	.options = top_options, .passes = top_passes, .operands = true, .run = top_main,
};
