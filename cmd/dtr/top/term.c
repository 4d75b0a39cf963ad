/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/term.h"

#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/shlib.h"
#include "cmd/dtr/top/draw.h"

static void term_signals_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGWINCH);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
}

int top_term_block(struct top_term *t)
{
	sigset_t set;

	term_signals_set(&set);
	if (pthread_sigmask(SIG_BLOCK, &set, &t->before))
		return -EINVAL;
	t->blocked = true;
	t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return t->signals < 0 ? -errno : 0;
}

bool top_term_possible(char *reason, size_t n)
{
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO)) {
		snprintf(reason, n, "standard output is not a terminal");
		return false;
	}
	if (!term || !*term) {
		snprintf(reason, n, "the type of the terminal is unknown: TERM is not set");
		return false;
	}
	return true;
}

/* Undoes top_term_block. */
static void term_unblock(struct top_term *t)
{
	if (t->signals >= 0)
		close(t->signals);
	t->signals = -1;
	if (t->blocked)
		pthread_sigmask(SIG_SETMASK, &t->before, NULL);
	t->blocked = false;
}

#ifdef HAVE_NCURSES_H
#define NCURSES_NOMACROS 1
#include <ncurses.h>
#include <term.h>

static const char library[] = "libncursesw.so.6";

/* The functions that are used, with their types from the header. */
#define CURSES_FUNCTIONS(X) \
	X(newterm) X(endwin) X(delscreen) X(start_color) X(use_default_colors) X(init_pair) X(has_colors) X(wmove) \
	X(waddnstr) X(wattrset) X(werase) X(wrefresh) X(wgetch) X(keypad) X(nodelay) X(cbreak) X(noecho) X(nonl) \
	X(curs_set) X(resizeterm) X(reset_prog_mode) X(clearok) X(set_escdelay) \
	X(COLOR_PAIR) X(tigetstr) X(wclrtoeol)

struct top_curses {
	void *lib;
	SCREEN *screen;
	WINDOW **stdscr_at;
	int *colors_at;
#define X(name) __typeof__(&name) name##_at;
	CURSES_FUNCTIONS(X)
#undef X
};

#define stdscr_of(k) (*(k)->stdscr_at)

static bool curses_load(struct top_curses *k, char *reason, size_t n)
{
#define X(name) { #name, (void **)&k->name##_at },
	const struct shlib_symbol want[] = {
		CURSES_FUNCTIONS(X) { "stdscr", (void **)&k->stdscr_at }, { "COLORS", (void **)&k->colors_at },
	};
#undef X
	const char *lacks;

	k->lib = shlib_open(library, want, sizeof want / sizeof want[0], &lacks);
	if (!k->lib)
		snprintf(reason, n, lacks ? "%s has no %s" : "%s is not installed (Debian: libncursesw6)", library,
			 lacks);
	return k->lib;
}

static void curses_free(struct top_curses *k)
{
	if (k->lib)
		dlclose(k->lib);
	free(k);
}

static void term_size(struct top_term *t)
{
	struct winsize w = { 0 };

	if (ioctl(fileno(t->out), TIOCGWINSZ, &w) < 0 || !w.ws_row || !w.ws_col) {
		w.ws_row = 24;
		w.ws_col = 80;
	}
	t->rows = w.ws_row;
	t->cols = w.ws_col;
	t->curses->resizeterm_at((int)t->rows, (int)t->cols);
}

/* From few to many. Terminals with 8 colours have steps of two levels. */
static void term_colours(struct top_term *t)
{
	static const short many[TOP_LEVELS] = { 0, 17, 19, 25, 31, 37, 71, 142, 208, 196 };
	static const short few[TOP_LEVELS] = { 0, 4, 4, 6, 6, 2, 2, 3, 3, 1 };
	const struct top_curses *k = t->curses;
	const char *none = getenv("NO_COLOR");

	if ((none && *none) || !k->has_colors_at() || k->start_color_at() == ERR)
		return;
	t->colour = true;
	k->use_default_colors_at();
	for (short i = 1; i < TOP_LEVELS; i++)
		k->init_pair_at(i, -1, *k->colors_at >= 256 ? many[i] : few[i]);
	k->init_pair_at(TOP_LEVELS, COLOR_RED, -1);
}

static void term_modes(struct top_term *t)
{
	const struct top_curses *k = t->curses;

	k->cbreak_at();
	k->noecho_at();
	k->nonl_at();
	k->set_escdelay_at(50);
	k->keypad_at(stdscr_of(k), true);
	k->nodelay_at(stdscr_of(k), true);
	k->curs_set_at(0);
}

/* Keys come from the terminal also if standard input is a script. */
static FILE *term_input(void)
{
	int fd = isatty(STDIN_FILENO) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
		 open("/dev/tty", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "r");
}

static int curses_open(struct top_term *t, char *reason, size_t n)
{
	const char *term = getenv("TERM"), *move;

	t->curses->screen = t->curses->newterm_at(NULL, t->out, t->in);
	if (t->curses->screen) {
		move = t->curses->tigetstr_at("cup");
		if (move && move != (const char *)-1)
			return 0;
	}
	snprintf(reason, n, "the terminal '%.64s' (TERM) is unknown or cannot be drawn on", term ? term : "");
	return -1;
}

int top_term_open(struct top_term *t, char *reason, size_t n)
{
	if (!top_term_possible(reason, n))
		return -1;
	t->curses = calloc(1, sizeof *t->curses);
	if (!t->curses || !curses_load(t->curses, reason, n)) {
		if (!t->curses)
			snprintf(reason, n, "out of memory");
		else
			curses_free(t->curses);
		t->curses = NULL;
		return -1;
	}
	setlocale(LC_CTYPE, "");
	t->in = term_input();
	t->out = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
	if (!t->in || !t->out)
		snprintf(reason, n, "failed to open the terminal: %s", strerror(errno));
	if (!t->in || !t->out || curses_open(t, reason, n) < 0) {
		top_term_close(t);
		return -1;
	}
	term_modes(t);
	term_colours(t);
	term_size(t);
	return 0;
}

/* What is printed next begins in the last line, which is empty. */
static void term_leave(struct top_term *t)
{
	const struct top_curses *k = t->curses;

	k->wattrset_at(stdscr_of(k), A_NORMAL);
	k->wmove_at(stdscr_of(k), (int)t->rows - 1, 0);
	k->wclrtoeol_at(stdscr_of(k));
	k->wrefresh_at(stdscr_of(k));
	k->endwin_at();
}

void top_term_abandon(void *arg)
{
	const struct top_term *t = arg;

	if (t->curses && t->curses->screen)
		t->curses->endwin_at();
}

void top_term_close(struct top_term *t)
{
	if (t->curses && t->curses->screen) {
		term_leave(t);
		t->curses->delscreen_at(t->curses->screen);
	}
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	if (t->curses)
		curses_free(t->curses);
	t->curses = NULL;
	t->in = t->out = NULL;
	term_unblock(t);
}

static int term_translate(int key)
{
	static const struct { int curses, key; } keys[] = {
		{ KEY_UP, TOP_KEY_UP }, { KEY_DOWN, TOP_KEY_DOWN }, { KEY_PPAGE, TOP_KEY_PAGE_UP },
		{ KEY_NPAGE, TOP_KEY_PAGE_DOWN }, { KEY_HOME, TOP_KEY_HOME }, { KEY_END, TOP_KEY_END },
		{ KEY_LEFT, TOP_KEY_LEFT }, { KEY_RIGHT, TOP_KEY_RIGHT }, { KEY_BTAB, TOP_KEY_BACKTAB },
		{ KEY_BACKSPACE, TOP_KEY_BACKSPACE }, { KEY_ENTER, '\n' },
	};

	if (key < 256)
		return key;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].curses == key)
			return keys[i].key;
	return 0;			/* a key without a meaning */
}

int top_term_key(struct top_term *t)
{
	struct pollfd p = { .fd = fileno(t->in), .events = POLLIN };
	int key;

	do
		key = t->curses->wgetch_at(stdscr_of(t->curses));
	while (key == KEY_RESIZE);	/* no key: curses already knows the size */
	if (key != ERR)
		return term_translate(key);
	t->gone |= poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
	return TOP_KEY_NONE;
}

/* Stops this process as Ctrl-Z stops others, with the terminal as it was. */
static void term_stop(struct top_term *t)
{
	const struct top_curses *k = t->curses;

	term_leave(t);
	kill(getpid(), SIGSTOP);
	k->reset_prog_mode_at();
}

bool top_term_signals(struct top_term *t)
{
	struct signalfd_siginfo s;
	bool any = false;

	while (read(t->signals, &s, sizeof s) == sizeof s) {
		any = true;
		if (s.ssi_signo == SIGTSTP)
			term_stop(t);
		if (s.ssi_signo == SIGCONT)
			t->curses->reset_prog_mode_at();
	}
	if (any)
		term_size(t);
	return any;
}

static void canvas_put(void *arg, unsigned y, unsigned x, const char *text, size_t n, enum top_style style)
{
	static const attr_t plain[] = {
		[TOP_PLAIN] = A_NORMAL, [TOP_BOLD] = A_BOLD, [TOP_DIM] = A_NORMAL, [TOP_REVERSE] = A_REVERSE,
		[TOP_WRONG] = A_BOLD,
	};
	const struct top_term *t = arg;
	const struct top_curses *k = t->curses;
	attr_t attr = style < TOP_HEAT ? plain[style] : A_NORMAL;

	if (t->colour && style > TOP_HEAT)
		attr |= (attr_t)k->COLOR_PAIR_at(style - TOP_HEAT);
	if (t->colour && style == TOP_WRONG)
		attr |= (attr_t)k->COLOR_PAIR_at(TOP_LEVELS);
	k->wattrset_at(stdscr_of(k), (int)attr);
	k->wmove_at(stdscr_of(k), (int)y, (int)x);
	k->waddnstr_at(stdscr_of(k), text, (int)n);
}

void top_term_draw(struct top_term *t, struct top_view *v, bool all)
{
	const struct top_curses *k = t->curses;
	const struct top_canvas canvas = { .rows = t->rows, .cols = t->cols, .put = canvas_put, .arg = t };

	k->wattrset_at(stdscr_of(k), A_NORMAL);
	k->werase_at(stdscr_of(k));
	top_draw(v, &canvas);
	if (all)
		k->clearok_at(stdscr_of(k), true);
	k->wrefresh_at(stdscr_of(k));
}

#else

int top_term_open(struct top_term *t, char *reason, size_t n)
{
	(void)t;
	snprintf(reason, n, "this dtr was built without ncurses (Debian: libncurses-dev)");
	return -1;
}

void top_term_close(struct top_term *t)
{
	term_unblock(t);
}

void top_term_abandon(void *arg) { (void)arg; }
int top_term_key(struct top_term *t) { (void)t; return TOP_KEY_NONE; }
bool top_term_signals(struct top_term *t) { (void)t; return false; }
void top_term_draw(struct top_term *t, struct top_view *v, bool all) { (void)t; (void)v; (void)all; }

#endif
