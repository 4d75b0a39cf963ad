/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/calls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>

#include "cmd/dtr/trace/names.h"

static const struct call_kind kinds[] = {
#define KIND(name, when, how, size, most, show) { #name, when, how, size, most },
#include "cmd/dtr/trace/kinds.def"
#undef KIND
};

static const struct call table[] = {
#define FILE FILE_
#define CALL(name, classes, spec) { #name, classes, spec, { { 0, 0 } }, 0, 0, 0, false },
#include "cmd/dtr/trace/calls.def"
#undef CALL
#undef FILE
};

const struct call *calls_table(size_t *n)
{
	*n = sizeof table / sizeof *table;
	return table;
}

static unsigned kind_find(const char *word)
{
	int t;

	for (unsigned i = 0; i < KINDS; i++)
		if (*kinds[i].name == *word && !strcmp(kinds[i].name, word))
			return i;
	t = names_find(word);
	return t < 0 ? KIND_x : KIND_NAMES + (unsigned)t;
}

void call_parse(struct call *c)
{
	const char *s = c->spec;

	c->parsed = true;
	c->result = 'd';
	while (*s) {
		size_t n = strcspn(s, " ");
		char word[32] = "", *colon;

		memcpy(word, s, n < sizeof word ? n : sizeof word - 1);
		colon = strchr(word, ':');
		if (colon)
			*colon++ = '\0';
		if (*word == '=' && (names_find(word + 1) >= 0 || !strcmp(word + 1, "ioprio"))) {
			c->result = 'n';
			c->result_kind = kind_find(word + 1);
		} else if (*word == '=') {
			c->result = word[1];
		} else if (c->nargs < CALL_ARGS) {
			c->arg[c->nargs++] = (struct call_arg){ kind_find(word), colon ? (unsigned)atoi(colon) : 0 };
		}
		s += n + (s[n] == ' ');
	}
	/* these have a length that follows them */
	for (unsigned i = 0; i < c->nargs; i++)
		if (c->arg[i].kind == KIND_oldsockaddr || c->arg[i].kind == KIND_oldoptval)
			c->arg[i].length = i + 1;
}

const struct call_kind *kind_of(unsigned kind)
{
	static const struct call_kind constant = { "", NOWHERE, NOTHING, 0, 0 };

	return kind < KINDS ? &kinds[kind] : &constant;
}

unsigned call_class(const char *name)
{
	static const struct { const char *name; unsigned bits; } classes[] = {
		{ "file", FILE_ }, { "desc", DESC }, { "network", NETWORK }, { "net", NETWORK }, { "process", PROCESS },
		{ "memory", MEMORY }, { "signal", SIGNAL }, { "ipc", IPC }, { "clock", CLOCK },
	};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (!strcmp(classes[i].name, name))
			return classes[i].bits;
	return 0;
}
