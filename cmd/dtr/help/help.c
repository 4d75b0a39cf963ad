/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/help/help.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/fill.h"
#include "base/word.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/colour.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/help/page.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool/tool.h"
#include "engine/dtr.h"

extern const struct command command_help;

struct help {
	struct arena *arena;
	const char *share, *prog;
	bool colour;
	bool failed;			/* a page could not be read */
};

enum section_extent {
	WHOLE_SECTION,
	OWN_TEXT,			/* without its subsections */
};

static const struct topic {
	const char *name, *page;
	const char *section;		/* the title of a heading; NULL: the whole page */
	const char *text;		/* in the list of topics; NULL: it is not in the list */
	enum section_extent extent;
	bool all_tags;			/* a list of all error tags follows */
} topics[] = {
#define TOPIC(name_, page_, section_, text_, ...) \
	{ .name = name_, .page = page_, .section = section_, .text = text_, __VA_ARGS__ }
	TOPIC("start", "start", NULL, "getting started in five minutes"),
	TOPIC("getting started", "start", NULL, NULL),
	TOPIC("tools", "tools", NULL, "which tool answers which question"),
	TOPIC("language", "language", "Structure of a script", "the structure of a D script"),
	TOPIC("probes", "language", "Probe descriptions", "how a script names probes"),
	TOPIC("providers", "language", "Providers", "where probes come from", .extent = OWN_TEXT),
	TOPIC("profile", "profile-provider", NULL, NULL),
	TOPIC("cpc", "cpc", NULL, "events of the processor and of the kernel as probes; dtr stat"),
	TOPIC("counters", "counters", NULL, "counters of the system: page faults, I/O, switches, packets"),
	TOPIC("network", "network", NULL, "tcp, udp and ip: packets and connections"),
	TOPIC("tcp", "network", NULL, NULL),
	TOPIC("udp", "network", NULL, NULL),
	TOPIC("ip", "network", NULL, NULL),
	TOPIC("languages", "languages", NULL, "functions of Python programs; programs of Go"),
	TOPIC("containers", "containers", NULL, "control groups, containers, pods: -x container=NAME"),
	TOPIC("locks", "locks", NULL, "waits for locks: dtr lockstat, dtr plockstat"),
	TOPIC("usdt", "usdt", NULL, NULL),
	TOPIC("variables", "language", "Built-in variables", "pid, execname, timestamp, arg0: built-in variables"),
	TOPIC("own variables", "language", "Variables", "global variables, self->x, this->x, arrays"),
	TOPIC("types", "language", "Types", "types, pointers, structures, translators"),
	TOPIC("expressions", "language", "Expressions", "operators, conversions, strings"),
	TOPIC("functions", "language", "Functions", "functions: strings, addresses, memory"),
	TOPIC("actions", "language", "Actions", "actions: printf(), trace(), exit(), system()"),
	TOPIC("aggregations", "language", "Aggregations", "count(), sum(), quantize() and how they are printed"),
	TOPIC("symbols", "language", "Stacks and symbols", "stacks, and names of addresses"),
	TOPIC("faults", "language", "Faults", "invalid addresses and other run-time errors"),
	TOPIC("errors", "language", "Error tags", "error messages and their tags", .all_tags = true),
	TOPIC("tags", "language", "Error tags", NULL, .all_tags = true),
	TOPIC("options", "options", NULL, "all -x options; also dtr --help"),
	TOPIC("drops", "options", "What a drop means", "records that were lost"),
	TOPIC("ledger", "profile-provider", "The ledger", "firings that did not happen"),
	TOPIC("saving", "aggregations", NULL, "saved aggregations, dtr merge, dtr diff"),
	TOPIC("record", "record", NULL, NULL),
	TOPIC("intervals", "report", NULL, "-x interval, dtr report, comparisons of recordings"),
	TOPIC("pictures", "pictures", NULL, "flame graphs and other pictures (-O html)"),
	TOPIC("serve", "serve", NULL, NULL),
	TOPIC("metrics", "serve", NULL, "metrics for Prometheus and profiles over HTTP (dtr serve)"),
	TOPIC("json", "json", NULL, "output for programs (-O json)"),
	TOPIC("rootless", "rootless", NULL, "tracing without root"),
	TOPIC("differences", "differences", NULL, "differences from other DTraces"),
	/* other words that users look for */
	TOPIC("histogram", "language", "Aggregations", NULL),
	TOPIC("histograms", "language", "Aggregations", NULL),
	TOPIC("latency", "start", "4. How long something takes", NULL),
	TOPIC("script", "start", "6. A script", NULL),
	TOPIC("one-liners", "start", "2. A one-liner", NULL),
	TOPIC("sampling", "start", "5. Sampling", NULL),
	TOPIC("flame graph", "pictures", NULL, NULL),
	TOPIC("flame graphs", "pictures", NULL, NULL),
	TOPIC("html", "pictures", NULL, NULL),
	TOPIC("pprof", "pictures", NULL, NULL),
	TOPIC("prometheus", "serve", NULL, NULL),
	TOPIC("openmetrics", "serve", NULL, NULL),
	TOPIC("privileges", "rootless", NULL, NULL),
	TOPIC("permissions", "rootless", NULL, NULL),
};
enum { NTOPICS = sizeof topics / sizeof *topics };

/* Pages in which words are searched. */
static const char *const searched[] = { "language", "options", "profile-provider", "usdt", "json", "pictures",
	"start" };

/* ---- pages ---- */

/* The directory of the pages: installed, or next to share/ in the source tree. */
static const char *pages_directory(const struct help *h)
{
	const char *installed = arena_printf(h->arena, "%s/help", h->share);

	return access(installed, R_OK) == 0 ? installed : arena_printf(h->arena, "%s/../docs", h->share);
}

/* The text of a page; NULL: there is none, or it cannot be read (failed). */
static const char *page_read(struct help *h, const char *name)
{
	struct buf b = { 0 };
	const char *text = NULL;
	int err;

	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")] != '\0')
		return NULL;
	err = buf_read_file(&b, arena_printf(h->arena, "%s/%s.md", pages_directory(h), name));
	h->failed |= err && err != -ENOENT;
	if (!err)
		text = arena_strdup(h->arena, buf_str(&b));
	buf_free(&b);
	return text;
}

struct help_output {
	struct help *h;
	struct buf text;
	enum page_kind last;		/* of the last block */
};

static void output_block(struct help_output *o, const struct page_block *b)
{
	if (o->text.len && !(b->kind == PAGE_ITEM && o->last == PAGE_ITEM))
		buf_putc(&o->text, '\n');
	page_show(&o->text, b, o->h->colour);
	o->last = b->kind;
}

/* Adds the section with this title, up to the next heading of its level, or of any. title NULL: the page. */
static void output_section(struct help_output *o, const char *at, const char *title, enum section_extent extent)
{
	struct page_block b;
	bool on = !title;
	unsigned level = 0;

	while (page_next(&at, &b)) {
		const bool heading = b.kind == PAGE_HEADING;

		if (on && title && heading && (extent == OWN_TEXT || b.level <= level))
			return;
		if (!on && heading && strlen(title) == b.n && !strncasecmp(b.text, title, b.n)) {
			on = true;
			level = b.level;
		}
		if (on)
			output_block(o, &b);
	}
}

/* ---- words ---- */

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is the word the name of the item? Of "quantize" in "quantize(x[, weight])" and "pid" in "$pid" it is. */
static bool item_is(const char *item, size_t n, const char *word)
{
	size_t length = strlen(word);

	while (n && strchr("$@-", *item) && *item != *word) {
		item++;
		n--;
	}
	return n >= length && !strncmp(item, word, length) &&
	       (n == length || (!is_word_byte(item[length]) && item[length] != '-'));
}

/* Calls item() for each name in a text: what is between backticks, divided at blanks, or the function that it declares;
 * in a heading (no backticks) also words, divided at commas. Stops when item() returns true, and returns that. */
typedef bool item_fn(void *arg, const char *item, size_t n);

/* The name before the parenthesis: "string substr(string s, int index)". */
static bool item_of_function(const char *s, const char *parenthesis, item_fn *item, void *arg)
{
	const char *name = parenthesis;

	while (name > s && is_word_byte(name[-1]))
		name--;
	return name < parenthesis && item(arg, name, (size_t)(parenthesis - name));
}

/* The words of s[n] between separators. */
static bool each_word(const char *s, size_t n, const char *separators, item_fn *item, void *arg)
{
	for (const char *end = s + n; s < end;) {
		size_t k = strcspn(s, separators);

		if (k > (size_t)(end - s))
			k = (size_t)(end - s);
		if (k && item(arg, s, k))
			return true;
		s += k + 1;
	}
	return false;
}

static bool each_in_code(const char *s, size_t n, item_fn *item, void *arg)
{
	const char *parenthesis = memchr(s, '(', n);

	if (parenthesis)
		return item_of_function(s, parenthesis, item, arg);
	return each_word(s, n, " ", item, arg);
}

static bool each_item(const char *s, size_t n, item_fn *item, void *arg)
{
	for (const char *end = s + n; s < end;) {
		const char *from = memchr(s, '`', (size_t)(end - s)), *to;

		to = from ? memchr(from + 1, '`', (size_t)(end - from - 1)) : NULL;
		if (!to)
			return false;
		if (to > from + 1 && each_in_code(from + 1, (size_t)(to - from - 1), item, arg))
			return true;
		s = to + 1;
	}
	return false;
}

static bool each_in_heading(const char *s, size_t n, item_fn *item, void *arg)
{
	return each_word(s, n, ",: \n", item, arg);
}

static bool begins_with(void *arg, const char *item, size_t n)
{
	size_t length = strlen(arg);

	return length > 2 && n >= length && !strncasecmp(item, arg, length);
}

static bool found_word(void *arg, const char *item, size_t n)
{
	return item_is(item, n, arg);
}

/* ---- a word: its headings, rows, paragraphs ---- */

enum word_place { IN_FIRST_CELL, IN_ANY_CELL };

/* Adds the rows of a table that have the word in this place. Returns their number. */
static unsigned word_rows(struct help_output *o, const struct page_block *table, const struct page_block *heading,
			  const char *word, enum word_place place)
{
	struct page_row titles, r;
	const char *s = page_row(&titles, table->text);
	unsigned n = 0;

	while (s < table->text + table->n) {
		s = page_row(&r, s);
		if (!r.n || !each_item(r.cell[0].text, place == IN_ANY_CELL ? strcspn(r.cell[0].text, "\n") :
				       r.cell[0].n, found_word, (void *)word))
			continue;
		if (!n && heading->text) {
			output_block(o, heading);
			buf_putc(&o->text, '\n');
		}
		page_show_row(&o->text, &r, &titles, o->h->colour);
		o->last = PAGE_TABLE;
		n++;
	}
	return n;
}

/* Adds a section whose heading names the word, to its end. */
static void word_section(struct help_output *o, const struct page_block *heading, const char **at)
{
	struct page_block b;
	const char *next = *at;

	output_block(o, heading);
	while (page_next(&next, &b) && !(b.kind == PAGE_HEADING && b.level <= heading->level)) {
		output_block(o, &b);
		*at = next;
	}
}

static unsigned word_in_page(struct help_output *o, const char *at, const char *word)
{
	struct page_block b, heading = { 0 };
	unsigned n = 0;

	while (page_next(&at, &b)) {
		if (b.kind == PAGE_HEADING)
			heading = b;
		if (b.kind == PAGE_TABLE)
			n += word_rows(o, &b, &heading, word, IN_FIRST_CELL);
		if (b.kind == PAGE_HEADING && b.level > 2 &&
		    each_in_heading(b.text, b.n, found_word, (void *)word)) {
			word_section(o, &b, &at);
			n++;
		}
	}
	return n;
}

/* Adds the paragraphs, or rows, that have the word as code anywhere: at most `most`. */
static unsigned word_anywhere(struct help_output *o, const char *at, const char *word, unsigned most)
{
	struct page_block b, heading = { 0 };
	unsigned n = 0;

	while (n < most && page_next(&at, &b)) {
		if (b.kind == PAGE_HEADING)
			heading = b;
		if (b.kind == PAGE_TABLE)
			n += word_rows(o, &b, &heading, word, IN_ANY_CELL);
		if ((b.kind != PAGE_TEXT && b.kind != PAGE_ITEM) || !each_item(b.text, b.n, found_word, (void *)word))
			continue;
		if (heading.text)
			output_block(o, &heading);
		heading.text = NULL;	/* once */
		output_block(o, &b);
		n++;
	}
	return n;
}

/* Adds the questions on the page of tools that have the word, or one that begins with it. Returns their number. */
static unsigned word_questions(struct help_output *o, const char *word)
{
	const char *at = page_read(o->h, "tools");
	struct page_block b;
	unsigned n = 0;

	while (at && page_next(&at, &b)) {
		struct page_row titles, r;

		if (b.kind != PAGE_TABLE)
			continue;
		for (const char *s = page_row(&titles, b.text); s < b.text + b.n;) {
			s = page_row(&r, s);
			if (!r.n || !each_word(r.cell[0].text, r.cell[0].n, " ,:?()", begins_with, (void *)word))
				continue;
			buf_puts(&o->text, n++ ? "" : o->text.len ? "\nTools\n\n" : "Tools\n\n");
			page_show_row(&o->text, &r, &titles, o->h->colour);
			o->last = PAGE_TABLE;
		}
	}
	return n;
}

static bool show_word(struct help_output *o, const char *word)
{
	const size_t letters = strcspn(word, "0123456789");
	unsigned n = 0;

	for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) {
		const char *page = page_read(o->h, searched[i]);

		n += page ? word_in_page(o, page, word) : 0;
	}
	for (size_t i = 0; !n && i < sizeof searched / sizeof *searched; i++) {
		const char *page = page_read(o->h, searched[i]);

		n += page ? word_anywhere(o, page, word, 3) : 0;
	}
	n += word_questions(o, word);
	if (!n && letters && word[letters] && strcmp(word + letters, "0"))	/* arg6: one of arg0 ... arg9 */
		return show_word(o, arena_printf(o->h->arena, "%.*s0", (int)letters, word));
	return n;
}

/* ---- errors ---- */

static void show_tags(struct help_output *o)
{
	buf_puts(&o->text, "\nAll tags:\n\n");
	for (unsigned i = 1; i < DIAG_NTAGS; i++)
		fill_row(&o->text, diag_tag_name(i), 24, diag_tag_text(i));
}

/* A tag: its meaning, and where the language says more about it. */
static bool show_tag(struct help_output *o, const char *word)
{
	const char *page = page_read(o->h, "language");
	unsigned i = 1;

	while (i < DIAG_NTAGS && strcasecmp(diag_tag_name(i), word))
		i++;
	if (i == DIAG_NTAGS)
		return false;
	word = diag_tag_name(i);
	fill_row(&o->text, word, 24, diag_tag_text(i));
	for (struct page_block b; page && page_next(&page, &b);)
		if ((b.kind == PAGE_TEXT || b.kind == PAGE_ITEM) && memmem(b.text, b.n, word, strlen(word)))
			output_block(o, &b);
	return true;
}

/* ---- topics ---- */

static const struct topic *topic_find(const char *name)
{
	for (size_t i = 0; i < NTOPICS; i++)
		if (!strcasecmp(topics[i].name, name))
			return &topics[i];
	return NULL;
}

static bool show_topic(struct help_output *o, const char *name)
{
	const struct topic *t = topic_find(name);
	const char *text = page_read(o->h, t ? t->page : name);

	if (!text)
		return false;
	output_section(o, text, t ? t->section : NULL, t ? t->extent : WHOLE_SECTION);
	text = t && strcmp(t->page, name) ? page_read(o->h, name) : NULL;
	if (text)	/* also a page of this name */
		output_section(o, text, NULL, WHOLE_SECTION);
	if (t && t->all_tags)
		show_tags(o);
	return true;
}

static const char *join_words(struct arena *a, int n, char **words)
{
	const char *s = n ? words[0] : "";

	for (int i = 1; i < n; i++)
		s = arena_printf(a, "%s %s", s, words[i]);
	return s;
}

/* Prints the help of a command or a tool. Returns 0, -ENOENT if there is none of this name, or -1 after a message. */
static int show_command(const struct help *h, const char *name)
{
	const struct command *c = command_find(name);
	struct command of_tool;
	struct buf b = { 0 };
	struct tool t;

	if (c == &command_help || (!c && tool_find(&t, h->arena, h->share, name) < 0))
		return -ENOENT;
	if (!c) {
		if (tool_check(&t, h->prog) < 0)
			return -1;
		of_tool = tool_command(&t, h->arena, h->prog);
		c = &of_tool;
	}
	command_describe(&b, h->arena, h->prog, c);
	fputs(buf_str(&b), stdout);
	buf_free(&b);
	return 0;
}

void help_topics(void (*topic)(void *arg, const char *name, const char *text), void *arg)
{
	for (size_t i = 0; i < NTOPICS; i++)
		if (!strchr(topics[i].name, ' '))
			topic(arg, topics[i].name, topics[i].text ? topics[i].text : "");
}

static void show_index(struct help_output *o)
{
	struct buf *b = &o->text;

	fill_text(b, "dtr traces a Linux system with programs in the D language.\n\n"
		     "usage: dtr help [TOPIC]\n\n"
		     "  dtr help start\tbegin here: five minutes\n"
		     "  dtr top\twho uses the CPUs, live; q quits\n"
		     "  dtr flame -p PID\ta flame graph of a process, as a page for a browser\n"
		     "  dtr -n 'SCRIPT'\ttrace, for example: dtr -n 'syscall:::entry { @[execname] = count(); }'\n"
		     "  dtr -s FILE.d\trun a script\n"
		     "  dtr -l\tlist probes\n"
		     "  dtr help tools\twhich tool answers which question: what is executed, who writes so much\n"
		     "  dtr -l --tools\tlist the tools; dtr TOOL runs one\n"
		     "  dtr --help\tall options\n"
		     "  dtr help TOPIC\tshow a topic, a tool, an option, a function, a variable, an error tag\n\n"
		     "Topics:\n");
	for (size_t i = 0; i < NTOPICS; i++)
		if (topics[i].text)
			fill_row(b, topics[i].name, 18, topics[i].text);
	fill_text(b, "\nProviders: dtrace profile syscall sched proc io fbt cpc lockstat vminfo sysinfo fsinfo mib ip "
		     "tcp udp sdt rawtp pid plockstat line watch usdt.\n\n"
		     "Long topics: dtr help options | less\n");
}

/* ---- an unknown topic ---- */

struct offers {
	struct arena *a;
	struct word_near near;
};

static bool offer_item(void *arg, const char *item, size_t n)
{
	struct offers *f = arg;
	size_t k = 0;

	while (k < n && is_word_byte(item[k]))
		k++;
	if (k > 2)
		word_offer(&f->near, arena_strndup(f->a, item, k));
	return false;
}

static void offer_page(struct offers *f, const char *at)
{
	for (struct page_block b; page_next(&at, &b);) {
		if (b.kind == PAGE_HEADING && b.level > 2)
			each_in_heading(b.text, b.n, offer_item, f);
		if (b.kind != PAGE_TABLE)
			continue;
		for (const char *s = b.text; s < b.text + b.n;) {
			struct page_row r;

			s = page_row(&r, s);
			if (r.n)
				each_item(r.cell[0].text, r.cell[0].n, offer_item, f);
		}
	}
}

static int topic_unknown(struct help *h, const char *name)
{
	struct offers f = { .a = h->arena, .near = { .word = name } };

	for (size_t i = 0; i < NTOPICS; i++)
		word_offer(&f.near, topics[i].name);
	command_offer(&f.near);
	tool_offer(h->arena, h->share, &f.near);
	for (unsigned i = 1; i < DIAG_NTAGS; i++)
		word_offer(&f.near, diag_tag_name(i));
	for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) {
		const char *page = page_read(h, searched[i]);

		if (page)
			offer_page(&f, page);
	}
	say("%s: no help on '%s'%s; \"%s help\" lists the topics\n", h->prog, name, word_suggestion(h->arena, &f.near),
	    h->prog);
	return 1;
}

/* Without memory the text would be incomplete, so nothing of it is printed. */
static int output_print(struct help_output *o, bool separate)
{
	bool failed = o->h->failed || o->text.failed;

	if (failed)
		say("%s: failed to read the documentation in %s\n", o->h->prog, pages_directory(o->h));
	else
		printf("%s%s", separate ? "\n" : "", buf_str(&o->text));
	buf_free(&o->text);
	return failed;
}

/* "-x" is the topic of options, "-x bufsize=1m" the option. */
static const char *without_x(struct help *h, const char *name)
{
	if (strncmp(name, "-x", 2))
		return name;
	name += 2 + strspn(name + 2, " ");
	return *name ? arena_strndup(h->arena, name, strcspn(name, "=")) : "options";
}

/* after_command: only what the pages add to the help of a command. */
static int help_show(struct help *h, int nwords, char **words, bool after_command)
{
	struct help_output o = { .h = h };
	const char *name = without_x(h, join_words(h->arena, nwords, words));
	bool found = true;

	h->failed = !page_read(h, "language");
	if (!nwords)
		show_index(&o);
	else if (!h->failed)
		found = show_topic(&o, name) || (!after_command && (show_tag(&o, name) || show_word(&o, name)));
	if (output_print(&o, after_command && found))
		return 1;
	return found || after_command ? 0 : topic_unknown(h, name);
}

/* A command shows its own help first, as with -h. */
static int help_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct help h = { &c->arena, c->share, c->args.prog, colour_wanted(stdout), false };
	const int shown = argc == 3 ? show_command(&h, argv[2]) : -ENOENT;

	(void)self;
	if (shown == -1 || help_show(&h, argc - 2, argv + 2, !shown))
		return 1;
	return cmd_answered(c);
}

const struct command command_help = { .name = "help", .summary = "the documentation", .run = help_main };
