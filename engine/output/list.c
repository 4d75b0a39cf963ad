/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/list.h"

#include <string.h>

#include "base/escape.h"
#include "lang/check/declared.h"

void list_attr(struct buf *out, const char *title, struct attr a)
{
	buf_printf(out, "\n\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n", title,
		   stability_name(a.name), stability_name(a.data), stability_class_name(a.class));
}

/* -v: stability and arguments. */
static void put_details(struct output *o, const struct probe *p)
{
	struct declared_arg args[DECLARED_MAX];
	unsigned n = declared_args(o->compiler, p, args);
	struct buf *out = &o->buf;

	if (p->prov->attr) {
		list_attr(out, "Probe Description Attributes", stability_probe(p));
		list_attr(out, "Argument Attributes", p->prov->attr->args);
	}
	buf_puts(out, "\n\tArgument Types\n");
	for (unsigned i = 0; i < n; i++) {
		buf_printf(out, "\t\targs[%u]: %s", i, arg_type(&args[i].type));
		if (args[i].type.name)
			buf_printf(out, " (%s)", args[i].type.name);
		buf_putc(out, '\n');
	}
	if (!n)
		buf_puts(out, "\t\tNone\n");
	buf_putc(out, '\n');
}

void list_text_head(struct output *o)
{
	buf_printf(&o->buf, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
}

void list_text_probe(struct output *o, const struct probe *p, bool verbose)
{
	const struct { const char *text; int width; } columns[] = {
		{ p->provname, 10 }, { p->mod, 17 }, { p->func, 33 }, { p->name, 0 },
	};

	buf_printf(&o->buf, "%5u", p->id);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		buf_putc(&o->buf, ' ');
		escape_column(&o->buf, columns[i].text, strlen(columns[i].text), columns[i].width, ESCAPE_LINE);
	}
	buf_putc(&o->buf, '\n');
	if (verbose)
		put_details(o, p);
}
