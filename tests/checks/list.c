/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints the features of D, one "KIND NAME" per line, from the tables of the compiler: tests/checks/features. */
#include <stdio.h>

#include "aggregation/agg.h"
#include "lang/func.h"
#include "providers/provider.h"

#define ACTION(id, text, min, max, destructive) text,
static const char *const actions[] = {
#include "lang/syntax/action.def"
};
#undef ACTION
#define BUILTIN(name, type, doc) #name,
static const char *const variables[] = {
#include "lang/syntax/builtin.def"
};
#undef BUILTIN

/* Names that do not begin with a letter are internal. */
static void feature(const char *kind, const char *name)
{
	if (name[0] >= 'a' && name[0] <= 'z')
		printf("%s %s\n", kind, name);
}

int main(void)
{
	for (unsigned i = 0; agg_funcs[i]; i++)
		feature("aggregation", agg_funcs[i]->name);
	for (unsigned i = 0; func_number(i); i++)
		feature("function", func_number(i)->name);
	for (unsigned i = 0; i < sizeof actions / sizeof *actions; i++)
		feature("function", actions[i]);
	for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++)
		feature("variable", variables[i]);
	for (unsigned i = 0; providers[i]; i++)
		feature("provider", providers[i]->name);
	return 0;
}
