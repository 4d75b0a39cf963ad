/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/check/thin.h"

#include <string.h>

#include "lang/func.h"

/* Actions whose output can be thinned: each firing prints for itself. */
static const bool prints[ACT_COUNT] = {
	[ACT_NONE] = true, [ACT_SHOW] = true, [ACT_TRACE] = true, [ACT_TRACEMEM] = true, [ACT_PRINTF] = true,
	[ACT_PRINT] = true,
};

/* Functions with a lasting effect that are not destructive. */
static const char *const lasting[] = { "speculation", "bcopy", "copyinto" };

static void note_obstacle(struct thin_obstacle *out, struct loc loc, const char *what, const char *name)
{
	if (!out->what)
		*out = (struct thin_obstacle){ loc, what, name };
}

static bool is_lasting(const struct func *f)
{
	bool is = f->effect == FUNC_DESTRUCTIVE;

	for (size_t i = 0; i < sizeof lasting / sizeof lasting[0]; i++)
		is |= !strcmp(f->name, lasting[i]);
	return is;
}

/* A value that other firings can see is assigned. What this-> holds ends with the firing. */
static void look_at_place(const struct node *n, struct thin_obstacle *out)
{
	struct loc loc = n->loc;

	while (n->kind == N_MEMBER && !n->arrow)
		n = n->a;
	if ((n->kind != N_VAR && n->kind != N_INDEX) || !n->var)
		note_obstacle(out, loc, "it writes to memory", NULL);
	else if (n->var->cls != VC_THIS)
		note_obstacle(out, loc, "it assigns to a variable", n->var->name);
}

static void look_at_node(const struct node *n, struct thin_obstacle *out)
{
	if (!n || out->what)
		return;
	if (n->kind == N_ASSIGN || node_is_step(n))
		look_at_place(n->a, out);
	if (n->kind == N_CALL && n->func && is_lasting(n->func))
		note_obstacle(out, n->loc, "it calls a function with a lasting effect", n->func->name);
	if (n->kind == N_CALL && n->act && !prints[n->act])
		note_obstacle(out, n->loc, "it has an action that is not only output", n->str);
	look_at_node(n->a, out);
	look_at_node(n->b, out);
	look_at_node(n->c, out);
	for (unsigned i = 0; i < n->nargs; i++)
		look_at_node(n->args[i], out);
}

static void look_at_statements(const struct stmt *s, struct thin_obstacle *out)
{
	for (; s && !out->what; s = s->next) {
		if (s->kind == S_AGG && !s->expr->agg->func->scales)
			note_obstacle(out, s->loc, "some of the values do not determine its aggregating function",
				      s->expr->agg->func->name);
		look_at_node(s->expr, out);
		look_at_node(s->call, out);
		look_at_statements(s->yes, out);
		look_at_statements(s->no, out);
	}
}

void thin_obstacle(const struct clause *c, struct thin_obstacle *out)
{
	*out = (struct thin_obstacle){ 0 };
	look_at_node(c->pred, out);
	look_at_statements(c->body, out);
}
