/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/syntax/depend.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Skips blanks and this word. Returns NULL if the next word is another one. */
static const char *skip_word(const char *s, const char *word)
{
	size_t n = strlen(word);

	s += strspn(s, " \t");
	if (strncmp(s, word, n) || !strchr(" \t", s[n]))
		return NULL;
	return s + n;
}

static const char *take_word(const char **at, struct arena *a)
{
	const char *s = *at + strspn(*at, " \t");
	size_t n = strcspn(s, " \t\r\n");

	*at = s + n;
	return arena_strndup(a, s, n);
}

bool depend_next(const char **at, struct arena *a, struct depend *out)
{
	static const char *const words[] = { "pragma", "D", "depends_on" };

	while (**at) {
		const char *s = *at + strspn(*at, " \t"), *end = *at + strcspn(*at, "\n");

		*at = *end ? end + 1 : end;
		if (*s != '#')
			continue;
		s++;
		for (size_t i = 0; s && i < sizeof words / sizeof *words; i++)
			s = skip_word(s, words[i]);
		if (!s)
			continue;
		out->kind = take_word(&s, a);
		out->name = take_word(&s, a);
		return true;
	}
	return false;
}

static int provider_met(const struct compiler *c, const char *name)
{
	(void)c;
	for (const struct provider *const *p = providers; *p; p++)
		if (!strcmp((*p)->name, name))
			return 1;
	return 0;
}

static int module_met(const struct compiler *c, const char *name)
{
	char path[PATH_MAX];

	(void)c;
	if (!strcmp(name, "kernel") || !strcmp(name, "vmlinux"))
		return 1;
	if (strchr(name, '/') || (size_t)snprintf(path, sizeof path, "/sys/module/%s", name) >= sizeof path)
		return 0;
	return access(path, F_OK) == 0;
}

static int library_met(const struct compiler *c, const char *name)
{
	for (size_t i = 0; i < c->libraries.n; i++)
		if (!strcmp(c->libraries.v[i], name))
			return 1;
	return c->env.prelude && !strcmp(name, "prelude.d");
}

int depend_met(const struct compiler *c, const char *kind, const char *name)
{
	static const struct { const char *kind; int (*met)(const struct compiler *c, const char *name); } kinds[] = {
		{ "library", library_met }, { "module", module_met }, { "provider", provider_met },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kind, kinds[i].kind))
			return kinds[i].met(c, name);
	return -1;
}
