/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drives a headless Chromium through its debugging pipe: opens a page and runs commands from standard input, one per
 * line.
 *
 *	browser PROGRAM URL
 *
 *	eval EXPRESSION		prints its value, as text
 *	click EXPRESSION	a real click into the middle of the element that the JavaScript expression gives
 *	move EXPRESSION		the pointer goes there
 *	type TEXT		keys, into what has the focus
 *	key Escape		a key by its name
 *	shot FILE		a picture of the whole page
 *
 * Errors of the page and refused loads are printed as "error: ..." at the end, and the status is 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"

enum { PATIENCE_MS = 300000 };	/* a cold start from a busy disk is slow; only a hang takes that long */

struct browser {
	pid_t pid;
	int to, from;
	struct buf in;		/* received but not yet processed */
	struct buf errors;
	char session[128];
	unsigned id;
};

static _Noreturn void die(struct browser *b, const char *what)
{
	fprintf(stderr, "browser: %s\n", what);
	if (b->pid > 0)
		kill(b->pid, SIGKILL);
	exit(1);
}

/* The text after "name": in a message, without quotes and escapes. False: not found. */
static bool message_text(const char *m, const char *name, struct buf *out)
{
	char key[64];
	const char *p;

	snprintf(key, sizeof key, "\"%s\":", name);
	p = strstr(m, key);
	if (!p)
		return false;
	p += strlen(key);
	if (*p != '"') {
		buf_put(out, p, strcspn(p, ",}]"));
		return true;
	}
	for (p++; *p && *p != '"'; p++) {
		if (*p != '\\') {
			buf_putc(out, *p);
		} else if (*++p == 'n') {
			buf_putc(out, '\n');
		} else if (*p == 'u') {
			char hex[5] = { 0 };

			memcpy(hex, p + 1, 4);
			buf_putc(out, (int)(strtoul(hex, NULL, 16) < 128 ? strtoul(hex, NULL, 16) : '?'));
			p += 4;
		} else {
			buf_putc(out, *p);
		}
	}
	return true;
}

static void browser_start(struct browser *b, const char *program)
{
	int to[2], from[2];

	if (pipe(to) < 0 || pipe(from) < 0)
		die(b, "no pipes");
	b->pid = fork();
	if (b->pid == 0) {
		int in = fcntl(to[0], F_DUPFD, 10), out = fcntl(from[1], F_DUPFD, 10), null = open("/dev/null", O_RDWR);

		dup2(in, 3);
		dup2(out, 4);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		for (int fd = 5; fd < 64; fd++)
			close(fd);
		execlp(program, program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		       "--hide-scrollbars",
		       "--window-size=1200,1000", "--disable-dev-shm-usage", "about:blank", NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	b->to = to[1];
	b->from = from[0];
}

/* The next message, without its end; the caller frees it. */
static char *browser_read(struct browser *b)
{
	struct pollfd p = { .fd = b->from, .events = POLLIN };
	char chunk[65536], *end, *m;
	size_t rest;
	ssize_t n;

	while (!b->in.len || !(end = memchr(b->in.data, '\0', b->in.len))) {
		n = poll(&p, 1, PATIENCE_MS) > 0 ? read(b->from, chunk, sizeof chunk) : -1;
		if (n <= 0)
			die(b, "the browser does not answer");
		buf_put(&b->in, chunk, (size_t)n);
	}
	m = strdup(b->in.data);
	rest = b->in.len - (size_t)(end + 1 - b->in.data);
	memmove(b->in.data, end + 1, rest);
	b->in.len = rest;
	return m;
}

static void browser_note(struct browser *b, const char *m)
{
	if (strstr(m, "\"method\":\"Runtime.exceptionThrown\"") && message_text(m, "description", &b->errors))
		buf_putc(&b->errors, '\n');
	if (strstr(m, "\"method\":\"Log.entryAdded\"") && strstr(m, "\"level\":\"error\"") &&
	    message_text(m, "text", &b->errors))
		buf_putc(&b->errors, '\n');
	if (strstr(m, "\"method\":\"Network.requestWillBeSent\"") && !strstr(m, "\"url\":\"file:") &&
	    !strstr(m, "\"url\":\"data:"))
		buf_puts(&b->errors, "the page asks the network\n");
}

/* Sends a command and returns the reply. */
static char *browser_call(struct browser *b, const char *method, const struct buf *params)
{
	struct buf out = { 0 };
	char want[32], *m;
	size_t at = 0;

	buf_printf(&out, "{\"id\":%u,\"method\":\"%s\",\"params\":%s", ++b->id, method, params ? buf_str(params) :
		   "{}");
	if (*b->session)
		buf_printf(&out, ",\"sessionId\":\"%s\"", b->session);
	buf_putc(&out, '}');
	while (at <= out.len) {		/* including the terminating NUL */
		ssize_t n = write(b->to, out.data + at, out.len + 1 - at);

		if (n < 0)
			die(b, "the browser has gone");
		at += (size_t)n;
	}
	buf_free(&out);
	snprintf(want, sizeof want, "{\"id\":%u,", b->id);
	while (strncmp(m = browser_read(b), want, strlen(want))) {
		browser_note(b, m);
		free(m);
	}
	return m;
}

static void browser_do(struct browser *b, const char *method, const struct buf *params)
{
	free(browser_call(b, method, params));
}

static void browser_open(struct browser *b, const char *page)
{
	struct buf p = { 0 }, text = { 0 };
	char *m;

	buf_puts(&p, "{\"url\":\"about:blank\"}");
	m = browser_call(b, "Target.createTarget", &p);
	if (!message_text(m, "targetId", &text))
		die(b, m);
	free(m);
	buf_reset(&p);
	buf_printf(&p, "{\"flatten\":true,\"targetId\":\"%s\"}", buf_str(&text));
	m = browser_call(b, "Target.attachToTarget", &p);
	buf_reset(&text);
	if (!message_text(m, "sessionId", &text) || text.len >= sizeof b->session)
		die(b, m);
	free(m);
	strcpy(b->session, buf_str(&text));
	browser_do(b, "Runtime.enable", NULL);
	browser_do(b, "Log.enable", NULL);
	browser_do(b, "Network.enable", NULL);
	browser_do(b, "Page.enable", NULL);
	buf_reset(&p);
	json_open(&p, '{');
	json_name(&p, "url");
	json_text(&p, page);
	json_close(&p, '}');
	browser_do(b, "Page.navigate", &p);
	for (bool loaded = false; !loaded;) {
		m = browser_read(b);
		loaded = strstr(m, "\"method\":\"Page.loadEventFired\"");
		browser_note(b, m);
		free(m);
	}
	buf_free(&p);
	buf_free(&text);
}

/* The value of an expression as text, two animation frames later, when its effects are drawn. */
static void browser_eval(struct browser *b, const char *expression, struct buf *out)
{
	struct buf p = { 0 }, e = { 0 };
	char *m;

	buf_printf(&e, "(async () => { await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));"
		   " return String(%s); })()",
		   expression);
	json_open(&p, '{');
	json_name(&p, "awaitPromise");
	json_bool(&p, true);
	json_name(&p, "expression");
	json_string(&p, buf_str(&e), e.len);
	json_close(&p, '}');
	m = browser_call(b, "Runtime.evaluate", &p);
	if (strstr(m, "\"exceptionDetails\"") ? !message_text(m, "description", out) : !message_text(m, "value", out))
		buf_puts(out, m);
	free(m);
	buf_free(&p);
	buf_free(&e);
}

/* The position of the middle of an element. */
static bool browser_find(struct browser *b, const char *expression, double *x, double *y)
{
	struct buf e = { 0 }, at = { 0 };
	bool found;

	buf_printf(&e, "(e => { e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect();"
		   " return (r.x + r.width / 2) + ' ' + (r.y + r.height / 2); })(%s)", expression);
	browser_eval(b, buf_str(&e), &at);
	found = sscanf(buf_str(&at), "%lf %lf", x, y) == 2;
	if (!found)
		printf("no element: %s\n", buf_str(&at));
	buf_free(&e);
	buf_free(&at);
	return found;
}

static void browser_mouse(struct browser *b, const char *expression, bool click)
{
	static const char *const kinds[] = { "mouseMoved", "mousePressed", "mouseReleased" };
	struct buf p = { 0 };
	double x, y;

	if (!browser_find(b, expression, &x, &y))
		return;
	for (int i = 0; i < (click ? 3 : 1); i++) {
		buf_reset(&p);
		buf_printf(&p, "{\"type\":\"%s\",\"x\":%f,\"y\":%f%s}", kinds[i], x, y,
			   i ? ",\"button\":\"left\",\"clickCount\":1" : "");
		browser_do(b, "Input.dispatchMouseEvent", &p);
	}
	buf_free(&p);
}

static void browser_key(struct browser *b, const char *key, bool text)
{
	struct buf p = { 0 };

	for (int up = 0; up < 2; up++) {
		buf_reset(&p);
		json_open(&p, '{');
		json_name(&p, "type");
		json_text(&p, up ? "keyUp" : text ? "keyDown" : "rawKeyDown");
		json_name(&p, "key");
		json_text(&p, key);
		json_name(&p, text && !up ? "text" : "code");
		json_text(&p, key);
		json_close(&p, '}');
		browser_do(b, "Input.dispatchKeyEvent", &p);
	}
	buf_free(&p);
}

static int digit(int c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void browser_shot(struct browser *b, const char *file)
{
	struct buf p = { 0 }, text = { 0 };
	unsigned bits = 0, n = 0;
	FILE *f = fopen(file, "w");
	char *m;

	buf_puts(&p, "{\"captureBeyondViewport\":true}");
	m = browser_call(b, "Page.captureScreenshot", &p);
	message_text(m, "data", &text);
	for (size_t i = 0; f && i < text.len && digit(text.data[i]) >= 0; i++) {
		bits = bits << 6 | (unsigned)digit(text.data[i]);
		n += 6;
		if (n >= 8)
			fputc((int)(bits >> (n -= 8) & 0xff), f);
	}
	if (f)
		fclose(f);
	free(m);
	buf_free(&p);
	buf_free(&text);
}

static void browser_line(struct browser *b, char *line)
{
	char *arg = strchr(line, ' ');
	struct buf out = { 0 };

	if (!arg)
		die(b, line);
	*arg++ = '\0';
	if (!strcmp(line, "eval")) {
		browser_eval(b, arg, &out);
		printf("%s\n", buf_str(&out));
	} else if (!strcmp(line, "click") || !strcmp(line, "move")) {
		browser_mouse(b, arg, *line == 'c');
	} else if (!strcmp(line, "type")) {
		for (; *arg; arg++)
			browser_key(b, (char[]){ *arg, '\0' }, true);
	} else if (!strcmp(line, "key")) {
		browser_key(b, arg, false);
	} else if (!strcmp(line, "shot")) {
		browser_shot(b, arg);
	} else {
		die(b, line);
	}
	buf_free(&out);
}

int main(int argc, char **argv)
{
	struct browser b = { .to = -1, .from = -1 };
	char line[8192];
	int bad;

	if (argc != 3)
		die(&b, "usage: browser PROGRAM URL");
	signal(SIGPIPE, SIG_IGN);
	browser_start(&b, argv[1]);
	browser_open(&b, argv[2]);
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			browser_line(&b, line);
	}
	bad = b.errors.len != 0;
	if (bad)
		printf("error: %s", buf_str(&b.errors));
	kill(b.pid, SIGKILL);
	waitpid(b.pid, NULL, 0);
	buf_free(&b.errors);
	buf_free(&b.in);
	return bad;
}
