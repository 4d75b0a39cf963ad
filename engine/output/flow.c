/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

enum { FLOW_WIDTH = 41, FLOW_STEP = 2 };

enum flow_kind { FLOW_NONE, FLOW_ENTRY, FLOW_RETURN };

/* True if the name is `word` or ends in "-WORD". */
static bool name_is(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	return n >= w && !strcmp(name + n - w, word) && (n == w || name[n - w - 1] == '-');
}

static enum flow_kind flow_kind(const struct flow_output *f, const struct flow_cpu *c, const struct epid_desc *e)
{
	if (name_is(e->probe->name, "entry")) {
		if (c && c->last && c->last != e && c->last->probe == e->probe)
			return FLOW_NONE;
		return FLOW_ENTRY;
	}
	if (name_is(e->probe->name, "return")) {
		if (f->next && f->next != e && f->next->probe == e->probe)
			return FLOW_NONE;
		return FLOW_RETURN;
	}
	return FLOW_NONE;
}

/* NULL: no memory. */
static struct flow_cpu *flow_cpu(struct flow_output *f, int cpu)
{
	unsigned want = (unsigned)cpu + 1;
	struct flow_cpu *v;

	if (want > f->n) {
		v = reallocarray(f->v, want, sizeof *v);
		if (!v)
			return NULL;
		memset(v + f->n, 0, (want - f->n) * sizeof *v);
		f->v = v;
		f->n = want;
	}
	return &f->v[cpu];
}

void flow_header(struct buf *out)
{
	buf_printf(out, "%3s %-*s\n", "CPU", FLOW_WIDTH, "FUNCTION");
}

void flow_line(struct flow_output *f, struct buf *out, int cpu, const struct epid_desc *e)
{
	static const char *const arrows[2][3] = { { "| ", " -> ", " <- " }, { "| ", " => ", " <= " } };
	const struct probe *p = e->probe;
	struct flow_cpu *c = flow_cpu(f, cpu < 0 ? 0 : cpu);
	enum flow_kind kind = flow_kind(f, c, e);
	bool syscall = !strcmp(p->provname, "syscall");
	struct buf name = { 0 };

	if (c && kind == FLOW_RETURN && c->indent)
		c->indent -= FLOW_STEP;
	buf_pad(&name, ' ', c ? c->indent : 0);
	buf_printf(&name, "%s%s", arrows[syscall][kind], p->func);
	if (kind == FLOW_NONE)
		buf_printf(&name, ":%s", p->name);
	buf_printf(out, "%3d ", cpu);
	escape_column(out, buf_str(&name), name.len, -FLOW_WIDTH, ESCAPE_LINE);
	buf_putc(out, ' ');
	out->failed |= name.failed;
	buf_free(&name);
	if (!c)
		return;
	if (kind == FLOW_ENTRY)
		c->indent += FLOW_STEP;
	c->last = e;
}

void flow_close(struct flow_output *f)
{
	free(f->v);
	*f = (struct flow_output){ 0 };
}
