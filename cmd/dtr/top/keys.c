/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/keys.h"

#include <string.h>

#include "cmd/dtr/top/order.h"
#include "cmd/dtr/top/stacks.h"

void top_keys_refresh(struct top_view *v)
{
	struct top_tab *tab = top_view_tab(v);

	v->n = 0;
	if (!tab)
		return;
	top_order(v, tab);
	top_stacks_refresh(v, tab);
}

/* Scrolls within the selected row if its expansion is taller than the page. Returns false if there is no more of it. */
static bool view_scroll(struct top_view *v, struct top_tab *tab, long by)
{
	size_t at = 0, last, height = top_row_height(tab, v->order[tab->cursor]);

	if (height <= v->page)
		return false;
	for (size_t i = 0; i < tab->cursor; i++)
		at += top_row_height(tab, v->order[i]);
	last = at + height - v->page;
	if (by > 0 ? tab->first >= last : tab->first <= at)
		return false;
	if (by > 0)
		tab->first = tab->first + (size_t)by < last ? tab->first + (size_t)by : last;
	else
		tab->first = tab->first > at + (size_t)-by ? tab->first - (size_t)-by : at;
	return true;
}

static void view_select(struct top_view *v, struct top_tab *tab, long by)
{
	long to = (long)tab->cursor + by;

	if (!v->n)
		return;
	tab->cursor = to < 0 ? 0 : (size_t)to >= v->n ? v->n - 1 : (size_t)to;
	tab->held = tab->cursor ? v->order[tab->cursor] : NULL;
}

static void view_move(struct top_view *v, struct top_tab *tab, long by)
{
	if (tab->cursor >= v->n || !view_scroll(v, tab, by))
		view_select(v, tab, by);
}

static void view_expand(struct top_view *v, struct top_tab *tab)
{
	struct top_row *r;

	if (tab->cursor >= v->n)
		return;
	r = v->order[tab->cursor];
	if (tab->table->kind != TOP_BUCKETS && !top_stacks_has(tab, r)) {
		top_view_say(v, false, "this row has no stacks");
		return;
	}
	r->open = !top_row_open(tab, r);
	r->toggled = true;
}

static void view_sort(struct top_tab *tab, int by)
{
	struct top_column columns[TOP_COLUMNS];
	unsigned n = top_view_columns(tab, columns);

	tab->sort = (tab->sort + n + (unsigned)by) % n;
	tab->reverse = false;
}

static void view_turn(struct top_view *v, int by)
{
	v->tab = v->n_tabs ? (v->tab + v->n_tabs + (unsigned)by) % v->n_tabs : 0;
}

static void key_quit(struct top_view *v, struct top_tab *tab) { (void)tab; v->quit = true; }
static void key_help(struct top_view *v, struct top_tab *tab) { (void)tab; v->help = true; }
static void key_next(struct top_view *v, struct top_tab *tab) { (void)tab; view_turn(v, 1); }
static void key_previous(struct top_view *v, struct top_tab *tab) { (void)tab; view_turn(v, -1); }
static void key_pause(struct top_view *v, struct top_tab *tab) { (void)tab; v->paused = !v->paused; }
static void key_save(struct top_view *v, struct top_tab *tab) { (void)tab; v->save = true; }
static void key_redraw(struct top_view *v, struct top_tab *tab) { (void)tab; v->redraw = true; }
static void key_up(struct top_view *v, struct top_tab *tab) { view_move(v, tab, -1); }
static void key_down(struct top_view *v, struct top_tab *tab) { view_move(v, tab, 1); }
static void key_page_up(struct top_view *v, struct top_tab *tab) { view_move(v, tab, -(long)v->page); }
static void key_page_down(struct top_view *v, struct top_tab *tab) { view_move(v, tab, (long)v->page); }
static void key_home(struct top_view *v, struct top_tab *tab) { view_select(v, tab, -(long)v->n); }
static void key_end(struct top_view *v, struct top_tab *tab) { view_select(v, tab, (long)v->n); }
static void key_expand(struct top_view *v, struct top_tab *tab) { view_expand(v, tab); }
static void key_sort_right(struct top_view *v, struct top_tab *tab) { (void)v; view_sort(tab, 1); }
static void key_sort_left(struct top_view *v, struct top_tab *tab) { (void)v; view_sort(tab, -1); }
static void key_reverse(struct top_view *v, struct top_tab *tab) { (void)v; tab->reverse = !tab->reverse; }

static void key_window(struct top_view *v, struct top_tab *tab)
{
	(void)tab;
	v->window = (v->window + 1) % TOP_WINDOWS;
}

static void key_filter(struct top_view *v, struct top_tab *tab)
{
	(void)tab;
	v->asking = true;
	memcpy(v->prompt, v->filter, sizeof v->prompt);
}

static const struct top_binding {
	int key;
	void (*act)(struct top_view *v, struct top_tab *tab);
	bool any;			/* also without a tab */
} bindings[] = {
	{ 'q', key_quit, true }, { 'h', key_help, true }, { '?', key_help, true },
	{ '\t', key_next, true }, { TOP_KEY_RIGHT, key_next, true },
	{ TOP_KEY_BACKTAB, key_previous, true }, { TOP_KEY_LEFT, key_previous, true },
	{ 'p', key_pause, true }, { ' ', key_pause, true }, { 'H', key_save, false }, { 'L' - '@', key_redraw, true },
	{ TOP_KEY_UP, key_up, false }, { 'k', key_up, false }, { TOP_KEY_DOWN, key_down, false },
	{ 'j', key_down, false }, { TOP_KEY_PAGE_UP, key_page_up, false },
	{ TOP_KEY_PAGE_DOWN, key_page_down, false }, { TOP_KEY_HOME, key_home, false }, { 'g', key_home, false },
	{ TOP_KEY_END, key_end, false }, { 'G', key_end, false }, { '\n', key_expand, false },
	{ '\r', key_expand, false }, { 'e', key_expand, false }, { '>', key_sort_right, false },
	{ 's', key_sort_right, false }, { '<', key_sort_left, false }, { 'r', key_reverse, false },
	{ 'w', key_window, true }, { '/', key_filter, true },
};

static void filter_remove(struct top_view *v)
{
	if (v->filtering)
		regfree(&v->regex);
	v->filtering = false;
	v->filters++;
	v->filter[0] = '\0';
}

/* A filter that is wrong leaves the one before. */
static void filter_set(struct top_view *v)
{
	regex_t regex;
	char reason[128];
	int r;

	if (!*v->prompt) {
		filter_remove(v);
		return;
	}
	r = regcomp(&regex, v->prompt, REG_EXTENDED | REG_NOSUB);
	if (r) {
		regerror(r, &regex, reason, sizeof reason);
		top_view_say(v, true, "filter '%s': %s", v->prompt, reason);
		return;
	}
	filter_remove(v);
	v->regex = regex;
	v->filtering = true;
	memcpy(v->filter, v->prompt, sizeof v->filter);
}

static void prompt_key(struct top_view *v, int key)
{
	size_t n = strlen(v->prompt);

	if (key == '\n' || key == '\r') {
		v->asking = false;
		filter_set(v);
	} else if (key == '\033') {
		v->asking = false;
	} else if (key == 'U' - '@') {
		v->prompt[0] = '\0';
	} else if (key == TOP_KEY_BACKSPACE || key == 127 || key == '\b') {
		while (n && ((unsigned char)v->prompt[--n] & 0xc0) == 0x80)
			;
		v->prompt[n] = '\0';
	} else if (key >= ' ' && key < 256 && n + 1 < sizeof v->prompt) {
		v->prompt[n] = (char)key;
		v->prompt[n + 1] = '\0';
	}
}

void top_keys_press(struct top_view *v, int key)
{
	struct top_tab *tab = top_view_tab(v);

	v->message[0] = '\0';
	if (v->asking) {
		prompt_key(v, key);
		return;
	}
	if (v->help) {			/* any key ends it */
		v->help = false;
		v->quit = key == 'q';
		return;
	}
	if (key >= '1' && key <= '9' && (unsigned)(key - '1') < v->n_tabs)
		v->tab = (unsigned)(key - '1');
	for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
		if (bindings[i].key == key && (tab || bindings[i].any)) {
			bindings[i].act(v, tab);
			return;
		}
}
