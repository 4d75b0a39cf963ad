/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/escape.h"
#include "cmd/dtr/top/order.h"

/* Columns of a text key that is not the last one, of a stack, of numbers. */
enum { WIDTH_TEXT = 16, WIDTH_STACK = 40, WIDTH_NUMBER = 8, WIDTH_VALUE = 14, WIDTH_SHARE = 9, WIDTH_INTERVAL = 16 };
enum { WIDTH_BUCKET = 20, WIDTH_COUNT = 10 };

/* ---- text of a limited width ---- */

/* The columns of the character at s, and its bytes. What cannot be shown takes one column. */
static unsigned char_width(const char *s, size_t n, size_t *bytes)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t r = mbrtowc(&c, s, n, &state);
	int width;

	*bytes = 1;
	if (!r || r > n)
		return 1;
	*bytes = r;
	width = wcwidth(c);
	return width < 0 ? 1 : (unsigned)width;
}

/* The bytes of a text that fit into `most` columns; *width: the columns that they take. */
static size_t text_fit(const char *s, size_t n, unsigned most, unsigned *width)
{
	size_t at = 0, bytes;

	for (*width = 0; at < n; at += bytes) {
		unsigned w = char_width(s + at, n - at, &bytes);

		if (*width + w > most)
			break;
		*width += w;
	}
	return at;
}

/* Makes every character one that a terminal can show. */
static void text_clean(struct buf *b)
{
	bool ascii = MB_CUR_MAX == 1;

	for (size_t i = 0; i < b->len; i++) {
		unsigned char c = (unsigned char)b->data[i];

		if (c < ' ' || c == 127 || (ascii && c > 127))
			b->data[i] = '?';
	}
}

/* Puts a text from column x on, at most `most` columns. Returns the column after it. */
static unsigned put(const struct top_canvas *c, unsigned y, unsigned x, unsigned most, const char *s, size_t n,
		    enum top_style style)
{
	unsigned width;

	if (y >= c->rows || x >= c->cols)
		return x;
	n = text_fit(s, n, most < c->cols - x ? most : c->cols - x, &width);
	if (n)
		c->put(c->arg, y, x, s, n, style);
	return x + width;
}

static unsigned put_buf(const struct top_canvas *c, unsigned y, unsigned x, struct buf *b, enum top_style style)
{
	text_clean(b);
	return put(c, y, x, c->cols, buf_str(b), b->len, style);
}

/* Appends a text in `width` columns; 0: as wide as it is. */
static void add_column(struct buf *line, struct buf *cell, unsigned width, bool right)
{
	unsigned used;
	size_t n;

	text_clean(cell);
	if (!width) {
		buf_put(line, buf_str(cell), cell->len);
		return;
	}
	n = text_fit(buf_str(cell), cell->len, width, &used);
	if (right)
		buf_pad(line, ' ', width - used);
	buf_put(line, buf_str(cell), n);
	if (!right)
		buf_pad(line, ' ', width - used);
}

/* ---- cells ---- */

static void put_key(struct buf *b, const struct dtr_key *k)
{
	const char *end;
	unsigned frames = 0;

	if (!k->text) {
		buf_printf(b, k->kind == DTR_UINT ? "%" PRIu64 : "%" PRId64, k->number);
		return;
	}
	if (k->kind != DTR_STACK) {
		escape_puts(b, k->text, ESCAPE_LINE);
		return;
	}
	for (const char *s = k->text; *s; s += *s == '\n')
		frames += (end = s + strcspn(s, "\n")) > s, s = end;
	escape_put(b, k->text, strcspn(k->text, "\n"), ESCAPE_LINE);
	if (frames > 1)
		buf_printf(b, " (%u frames)", frames);
}

void top_cell(struct buf *b, const struct top_view *v, const struct top_tab *tab, const struct top_column *column,
	      const struct top_row *r)
{
	struct share_interval i;

	switch (column->kind) {
	case TOP_SHARE:
		buf_printf(b, "%.2f %%", v->total ? 100 * (double)r->shown / v->total : 0.0);
		return;
	case TOP_INTERVAL:
		i = top_view_interval(v, r);
		buf_printf(b, "%.2f - %.2f", 100 * i.low, 100 * i.high);
		return;
	case TOP_VALUE:
		buf_printf(b, "%" PRId64, r->shown);
		return;
	case TOP_KEY:
		put_key(b, &r->keys[column->key]);
		return;
	}
	(void)tab;
}

static unsigned column_width(const struct top_tab *tab, const struct top_column *c, bool last)
{
	static const unsigned widths[] = {
		[TOP_SHARE] = WIDTH_SHARE, [TOP_INTERVAL] = WIDTH_INTERVAL, [TOP_VALUE] = WIDTH_VALUE,
	};
	const struct top_table *t = tab->table;

	if (c->kind != TOP_KEY)
		return widths[c->kind];
	if (c->number)
		return WIDTH_NUMBER;
	return last ? 0 : t->n && t->rows[0]->keys[c->key].kind == DTR_STACK ? WIDTH_STACK : WIDTH_TEXT;
}

static void row_line(struct buf *line, const struct top_view *v, const struct top_tab *tab, const struct top_row *r)
{
	struct top_column columns[TOP_COLUMNS];
	unsigned n = top_view_columns(tab, columns);
	struct buf cell = { 0 };

	for (unsigned i = 0; i < n; i++) {
		buf_reset(&cell);
		top_cell(&cell, v, tab, &columns[i], r);
		buf_puts(line, i ? "  " : "");
		add_column(line, &cell, column_width(tab, &columns[i], i + 1 == n), columns[i].number);
	}
	buf_free(&cell);
}

/* Numbers are sorted from the largest, keys from the smallest, unless reversed. */
static const char *sort_mark(const struct top_tab *tab, const struct top_column *c)
{
	bool ascends = (c->kind == TOP_KEY) != tab->reverse;

	return ascends ? "^" : "v";
}

static void head_line(struct buf *line, const struct top_tab *tab)
{
	struct top_column columns[TOP_COLUMNS];
	unsigned n = top_view_columns(tab, columns);
	struct buf cell = { 0 };

	for (unsigned i = 0; i < n; i++) {
		buf_reset(&cell);
		buf_printf(&cell, "%s%s", columns[i].title, i == tab->sort ? sort_mark(tab, &columns[i]) : "");
		buf_puts(line, i ? "  " : "");
		add_column(line, &cell, column_width(tab, &columns[i], i + 1 == n), columns[i].number);
	}
	buf_free(&cell);
}

/* ---- heat maps ---- */

unsigned top_level(int64_t count, int64_t most)
{
	if (count <= 0 || most <= 0)
		return 0;
	return 1 + (unsigned)((double)(count < most ? count : most) / (double)most * (TOP_LEVELS - 2) + 0.5);
}

char top_level_char(unsigned level)
{
	static const char shades[TOP_LEVELS + 1] = " .:-=+*#%@";

	return shades[level < TOP_LEVELS ? level : TOP_LEVELS - 1];
}

int64_t top_row_most(const struct top_table *t, const struct top_row *r, unsigned n)
{
	int64_t most = 0;

	for (unsigned i = 0; i < r->n_buckets; i++)
		for (unsigned ago = 0; ago < n; ago++) {
			int64_t count = top_bucket_past(t, &r->buckets[i], ago);

			most = count > most ? count : most;
		}
	return most;
}

/* The line of a bucket: where it begins, a character for each interval (the newest on the right), the count. */
static void heat_line(const struct top_canvas *c, unsigned y, const struct top_table *t, const struct top_row *r,
		      const struct top_bucket *b)
{
	unsigned room = c->cols > WIDTH_BUCKET + WIDTH_COUNT + 4 ? c->cols - WIDTH_BUCKET - WIDTH_COUNT - 4 : 0, x;
	int64_t most;
	struct buf text = { 0 };

	room = room < TOP_PAST ? room : TOP_PAST;
	most = top_row_most(t, r, room);
	buf_printf(&text, "%*" PRId64 " |", WIDTH_BUCKET, b->from);
	x = put_buf(c, y, 0, &text, TOP_PLAIN);
	for (unsigned i = room; i-- > 0;) {
		unsigned level = top_level(top_bucket_past(t, b, i), most);
		char shade = top_level_char(level);

		x = put(c, y, x, 1, &shade, 1, TOP_HEAT + level);
	}
	buf_reset(&text);
	buf_printf(&text, "| %" PRId64, b->count);
	put_buf(c, y, x, &text, TOP_PLAIN);
	buf_free(&text);
}

/* ---- the body ---- */

/* Line i of a row's expansion. */
static void extra_line(const struct top_canvas *c, unsigned y, const struct top_tab *tab, const struct top_row *r,
		       size_t i)
{
	struct buf text = { 0 };
	const char *s = r->lines;
	unsigned first;

	if (tab->table->kind == TOP_BUCKETS) {
		if (i < top_row_range(tab->table, r, &first))
			heat_line(c, y, tab->table, r, &r->buckets[first + i]);
		return;
	}
	while (s && i--)
		s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL;
	if (s)
		escape_put(&text, s, strcspn(s, "\n"), ESCAPE_LINE);
	put_buf(c, y, 0, &text, TOP_PLAIN);
	buf_free(&text);
}

static void draw_row(struct top_view *v, const struct top_canvas *c, const struct top_tab *tab, size_t i, unsigned y)
{
	struct buf line = { 0 };

	row_line(&line, v, tab, v->order[i]);
	if (i == tab->cursor && line.len < c->cols)
		buf_pad(&line, ' ', c->cols - line.len);
	put_buf(c, y, 0, &line, i == tab->cursor ? TOP_REVERSE : TOP_PLAIN);
	buf_free(&line);
}

/* Scrolls so that the selected row is visible, with its expansion if that fits, otherwise a part of it, and nothing is
 * empty unless it must. */
static void body_scroll(struct top_view *v, struct top_tab *tab, unsigned page)
{
	size_t end = 0, last = 0, all = 0;

	for (size_t i = 0; i < v->n; i++) {
		size_t height = top_row_height(tab, v->order[i]);

		if (i == tab->cursor) {
			end = all + (height < page ? height : page);
			last = height > page ? all + height - page : all;
		}
		all += height;
	}
	if (tab->first + page < end)
		tab->first = end - page;
	if (tab->first > last)
		tab->first = last;
	if (tab->first + page > all)
		tab->first = all > page ? all - page : 0;
}

static void draw_body(struct top_view *v, const struct top_canvas *c, struct top_tab *tab, unsigned top, unsigned page)
{
	size_t line = 0;

	v->page = page ? page : 1;
	if (!page)
		return;
	body_scroll(v, tab, page);
	for (size_t i = 0; i < v->n && line < tab->first + page; i++) {
		size_t height = top_row_height(tab, v->order[i]);

		for (size_t k = tab->first > line ? tab->first - line : 0; k < height; k++) {
			if (line + k >= tab->first + page)
				break;
			if (!k)
				draw_row(v, c, tab, i, top + (unsigned)(line - tab->first));
			else
				extra_line(c, top + (unsigned)(line + k - tab->first), tab, v->order[i], k - 1);
		}
		line += height;
	}
}

/* ---- the lines around it ---- */

void top_describe(struct buf *b, const struct top_view *v)
{
	const struct top_tab *tab = top_view_tab(v);
	unsigned intervals = top_view_intervals(v);

	if (!tab)
		return;
	if (!intervals || tab->table->kind == TOP_STATE)
		buf_puts(b, "since the start");
	else
		buf_printf(b, intervals == 1 ? "last interval" : "last %u intervals", intervals);
	if (intervals && tab->table->kind != TOP_STATE)
		buf_printf(b, ", %.1f s", top_table_length(tab->table, intervals));
	buf_printf(b, ", %zu rows", v->n);
	if (v->filtering) {
		buf_puts(b, ", filter: ");
		escape_puts(b, v->filter, ESCAPE_LINE);
	}
}

/* The row whose keys are the next ones below those of `above`; NULL: the last ones. */
static const struct top_row *summary_next(const struct top_table *t, const struct top_row *above)
{
	const struct top_row *next = NULL;

	for (size_t i = 0; i < t->n; i++)
		if ((!above || top_order_keys(t, t->rows[i], above, 0) < 0) &&
		    (!next || top_order_keys(t, t->rows[i], next, 0) > 0))
			next = t->rows[i];
	return next;
}

bool top_summary(struct buf *b, const struct top_view *v, bool intervals)
{
	const struct top_table *t = v->summary;
	double total = 0;

	for (size_t i = 0; t && i < t->n; i++)
		total += (double)top_row_value(t, t->rows[i], top_view_intervals(v));
	for (const struct top_row *r = NULL; t && (r = summary_next(t, r));) {
		int64_t value = top_row_value(t, r, top_view_intervals(v));
		struct share_interval s = interval_wilson((uint64_t)(value > 0 ? value : 0), (uint64_t)total);

		buf_puts(b, b->len ? "   " : "");
		put_key(b, &r->keys[0]);
		buf_printf(b, " %.1f %%", total ? 100 * (double)value / total : 0.0);
		if (intervals)
			buf_printf(b, " (%.1f - %.1f)", 100 * s.low, 100 * s.high);
	}
	return t;
}

static void draw_tabs(const struct top_view *v, const struct top_canvas *c, unsigned y)
{
	struct buf b = { 0 };
	unsigned x = 0;

	for (unsigned i = 0; i < v->n_tabs; i++) {
		const char *name = v->tabs[i].table->name;

		buf_reset(&b);
		buf_printf(&b, i == v->tab ? "[%u %s]" : " %u %s ", i + 1, *name ? name : "@");
		x = put_buf(c, y, x, &b, i == v->tab ? TOP_BOLD : TOP_PLAIN);
	}
	if (!v->n_tabs)
		put(c, y, 0, c->cols, v->title, strlen(v->title), TOP_BOLD);
	buf_free(&b);
}

static void draw_status(const struct top_view *v, const struct top_canvas *c, unsigned y)
{
	static const char keys[] = "q quit  h help  < > sort  r reverse  / filter  p pause  w window  Enter expand";
	struct buf b = { 0 };

	if (v->asking)
		buf_printf(&b, "filter (regular expression): %s_", v->prompt);
	else
		escape_puts(&b, *v->message ? v->message : keys, ESCAPE_LINE);
	put_buf(c, y, 0, &b, v->wrong && *v->message && !v->asking ? TOP_WRONG : TOP_DIM);
	buf_free(&b);
}

static const char *const help[] = {
	"q              quit; so does Ctrl-C",
	"Tab, 1 to 9    the next tab, a certain one (also the arrows left, right)",
	"up, down, j, k, page up, page down, g, G    select a row",
	"< > s          sort by the column to the left, to the right",
	"r              reverse the order",
	"/              show rows whose keys match a regular expression; empty: all",
	"w              window: since the start, last interval, last 10, last 60",
	"p, blank       pause",
	"Enter, e       expand the row into its stacks or buckets, or close it",
	"H              save this tab as an HTML page",
	"Ctrl-L         draw the screen again",
	"h, ?           this help; any key ends it",
	"",
	"SHARE is the part of all rows, also of those that the filter hides.",
	"Histograms: a column for each interval, the newest on the right.",
};

static void draw_help(const struct top_canvas *c)
{
	for (unsigned i = 0; i < sizeof help / sizeof *help; i++)
		put(c, i, 0, c->cols, help[i], strlen(help[i]), TOP_PLAIN);
}

static unsigned draw_head(struct top_view *v, const struct top_canvas *c, const struct top_tab *tab)
{
	struct buf b = { 0 };
	unsigned y = 0;

	draw_tabs(v, c, y++);
	if (c->rows >= 8) {
		buf_printf(&b, "%s: ", v->title);
		top_describe(&b, v);
		buf_puts(&b, v->paused ? ", paused" : "");
		put_buf(c, y++, 0, &b, TOP_PLAIN);
		buf_reset(&b);
		if (top_summary(&b, v, true)) {
			if (b.len > c->cols) {
				buf_reset(&b);
				top_summary(&b, v, false);
			}
			put_buf(c, y++, 0, &b, TOP_PLAIN);
		}
		buf_reset(&b);
	}
	if (tab) {
		head_line(&b, tab);
		put_buf(c, y++, 0, &b, TOP_BOLD);
	}
	buf_free(&b);
	return y;
}

void top_draw(struct top_view *v, const struct top_canvas *c)
{
	struct top_tab *tab = top_view_tab(v);
	unsigned top;

	if (v->help) {
		draw_help(c);
		return;
	}
	top = draw_head(v, c, tab);
	if (tab)
		draw_body(v, c, tab, top, c->rows > top + 1 ? c->rows - top - 1 : 0);
	if (c->rows)
		draw_status(v, c, c->rows - 1);
}
