/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct events_parser {
	struct events *e;
	struct arena *arena;
	struct diags *diags;
	struct event def;	/* of `default` */
	struct loc loc;
	char *rest;		/* of the line */
};

static char *parser_word(struct events_parser *p)
{
	char *s = p->rest + strspn(p->rest, " \t"), *end = s + strcspn(s, " \t");

	p->rest = *end ? end + 1 : end;
	*end = '\0';
	return s;
}

static bool parse_number(const char *s, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = *s == '-' ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
	return *s && !*end && !errno;
}

/* The place of a numeric field; NULL: no such field. */
static uint64_t *event_field(struct sample *e, const char *name)
{
	const struct { const char *name; uint64_t *at; } fields[] = {
		{ "ts", &e->time }, { "cpu", &e->cpu }, { "pid", &e->pid }, { "tid", &e->tid }, { "uid", &e->uid },
		{ "gid", &e->gid }, { "task", &e->addr }, { "depth", &e->depth }, { "udepth", &e->udepth },
	};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (!strcmp(name, fields[i].name))
			return fields[i].at;
	if (!strncmp(name, "arg", 3) && name[3] >= '0' && name[3] <= '9' && !name[4])
		return &e->arg[name[3] - '0'];
	return NULL;
}

/* Numbers separated by commas. */
static int set_stack(struct events_parser *p, struct frames *s, const char *value)
{
	char *text = arena_strdup(p->arena, value), *next;
	uint64_t *pc = arena_calloc(p->arena, EVENT_MAXFRAMES, sizeof *pc);

	s->pc = pc;
	for (s->n = 0; text; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = '\0';
		if (s->n == EVENT_MAXFRAMES || !parse_number(text, &pc[s->n++]))
			return diag(p->diags, p->loc, D_SYNTAX, "not a list of at most %d numbers: %s", EVENT_MAXFRAMES,
				    value);
	}
	return 0;
}

static int event_set(struct events_parser *p, struct sample *e, bool *has_ts, const char *name, const char *value)
{
	uint64_t *at = event_field(e, name);

	if (!strcmp(name, "comm")) {
		memset(e->comm, 0, sizeof e->comm);
		memcpy(e->comm, value, strnlen(value, sizeof e->comm - 1));
		return 0;
	}
	if (!strcmp(name, "uregs"))
		return set_stack(p, &e->uregs, value);
	if (!strcmp(name, "stack") || !strcmp(name, "ustack"))
		return set_stack(p, *name == 'u' ? &e->ustack : &e->stack, value);
	if (!at || !parse_number(value, at))
		return diag(p->diags, p->loc, D_SYNTAX, "not an event's field: %s=%s", name, value);
	if (at == &e->pid)
		e->tid = e->pid;
	if (at == &e->time)
		*has_ts = true;
	if (e->cpu >= EVENT_MAXCPU)
		return diag(p->diags, p->loc, D_SYNTAX, "CPU numbers end at %d", EVENT_MAXCPU - 1);
	return 0;
}

static int parse_fields(struct events_parser *p, struct sample *e, bool *has_ts)
{
	char *w, *eq;

	while (*(w = parser_word(p))) {
		eq = strchr(w, '=');
		if (!eq)
			return diag(p->diags, p->loc, D_SYNTAX, "not an event's field: %s", w);
		*eq = '\0';
		if (event_set(p, e, has_ts, w, eq + 1) < 0)
			return -1;
	}
	return 0;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *p = c ? strchr(digits, c | 0x20) : NULL;

	return p ? (int)(p - digits) : -1;
}

static int parse_memory(struct events_parser *p, bool user, bool text)
{
	struct kmem k;
	const char *s;
	uint8_t *b;

	if (!parse_number(parser_word(p), &k.addr))
		return diag(p->diags, p->loc, D_SYNTAX, "not an address");
	s = text ? p->rest : parser_word(p);
	k.n = text ? strlen(s) + 1 : strlen(s) / 2;
	if (!text && strlen(s) % 2)
		return diag(p->diags, p->loc, D_SYNTAX, "not a hexadecimal byte");
	b = arena_memdup(p->arena, s, strlen(s) + 1);
	for (size_t i = 0; !text && i < k.n; i++) {
		int hi = hex_digit(s[2 * i]), lo = hex_digit(s[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return diag(p->diags, p->loc, D_SYNTAX, "not a hexadecimal byte");
		b[i] = hi << 4 | lo;
	}
	k.bytes = b;
	k.user = user;
	*VEC_ADD(p->arena, &p->e->kmem) = k;
	return 0;
}

static int parse_symbol(struct events_parser *p, bool user)
{
	struct event_symbol s = { .pid = -1 };
	uint64_t pid;

	if (user && !parse_number(parser_word(p), &pid))
		return diag(p->diags, p->loc, D_SYNTAX, "not a process ID");
	if (user)
		s.pid = (int64_t)pid;
	if (!parse_number(parser_word(p), &s.start) || !parse_number(parser_word(p), &s.size))
		return diag(p->diags, p->loc, D_SYNTAX, "not an address and a size");
	s.object = arena_strdup(p->arena, parser_word(p));
	s.name = arena_strdup(p->arena, parser_word(p));
	*VEC_ADD(p->arena, &p->e->symbols) = s;
	return 0;
}

static int parse_line(struct events_parser *p)
{
	char *w = parser_word(p);
	struct event e = p->def;

	if (!*w || *w == '#')
		return 0;
	if (!strcmp(w, "default"))
		return parse_fields(p, &p->def.s, &p->def.has_ts);
	if (!strcmp(w, "self"))
		return parse_fields(p, &p->e->self, &e.has_ts);
	if (!strcmp(w, "ksym") || !strcmp(w, "usym"))
		return parse_symbol(p, *w == 'u');
	if (!strcmp(w, "kmem") || !strcmp(w, "kstr") || !strcmp(w, "umem") || !strcmp(w, "ustr"))
		return parse_memory(p, *w == 'u', w[1] == 's');
	if (!strcmp(w, "hold") || !strcmp(w, "pass")) {
		e.hold = *w == 'h';
	} else {
		e.probe = arena_strdup(p->arena, w);
		if (parse_fields(p, &e.s, &e.has_ts) < 0)
			return -1;
	}
	e.loc = p->loc;
	*VEC_ADD(p->arena, &p->e->list) = e;
	return 0;
}

int events_parse(struct events *e, struct arena *a, const struct source *src, struct diags *d)
{
	struct events_parser p = { .e = e, .arena = a, .diags = d, .loc = { src, 0, 1 } };
	const char *s = src->text;
	int r = 0;

	e->self = (struct sample){ .pid = 100, .tid = 100, .comm = "dtr" };
	p.def = (struct event){ .s = { .pid = 1, .tid = 1, .comm = "init" } };
	while (*s) {
		size_t n = strcspn(s, "\n");

		p.loc.line++;
		p.rest = arena_strndup(a, s, n);
		if (parse_line(&p) < 0)
			r = -1;
		s += n + (s[n] == '\n');
	}
	if ((size_t)(s - src->text) < src->len)
		r = diag(d, (struct loc){ src, p.loc.line, 1 }, D_SYNTAX, "invalid character 0x00: not a text file");
	return r;
}
