/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/func.h"

#include <string.h>

#include "lang/func/family.h"

static const struct func funcs[] = {
#define FUNC(name, min, max, effect, check, value) { #name, min, max, FUNC_##effect, check, value, NULL, NULL },
#define SFUNC(name, min, max, effect, check, string) { #name, min, max, FUNC_##effect, check, NULL, string, NULL },
#define RFUNC(name, min, max, effect, check, record) \
	{ #name, min, max, FUNC_##effect, check, NULL, NULL, record },
#include "lang/func/func.def"
};

const struct func *func_number(size_t i)
{
	return i < sizeof funcs / sizeof *funcs ? &funcs[i] : NULL;
}

const struct func *func_find(const char *name)
{
	for (size_t i = 0; i < sizeof funcs / sizeof *funcs; i++)
		if (!strcmp(funcs[i].name, name))
			return &funcs[i];
	return NULL;
}

bool func_is(const struct func *f, const char *name)
{
	return f && !strcmp(f->name, name);
}
