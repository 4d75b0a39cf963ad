/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/variables.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/symbols/demangle.h"
#include "engine/symbols/object.h"

enum { DEPTH_MAX = 48 };		/* of nested entries; untrusted files may nest without end */

/* An entry of a variable with the wanted name. */
struct candidate {
	Dwarf_Die die;
	uint64_t off;			/* of the entry */
	const char *scope;		/* "ns::Class", or "" */
	const char *function;		/* that contains it, or "" */
	bool matches;			/* the function, if one is given */
	bool declared;			/* only declared: its definition refers to this entry */
};

/* A function that is declared in a scope and defined outside. */
struct declared {
	uint64_t off;			/* of the declaration */
	const char *scope;
};

struct lookup {
	const struct variable_want *want;
	const char *path;		/* of members and elements: ".limit[3]", or "" */
	struct variable *out;
	char *reason;
	size_t size;			/* of `reason` */
	const struct dwinfo *dw;
	struct object *object;
	const char *name;		/* with its scope, without members */
	const char *last;		/* without its scope */
	bool scoped;
	bool functions;			/* looks into functions */
	VEC(struct candidate) list;
	VEC(struct declared) declared;
};

/* Where a variable is. */
enum place {
	PLACE_FIXED,			/* at an address */
	PLACE_THREAD,			/* at another one in each thread */
	PLACE_LOCAL,			/* in registers or on the stack */
	PLACE_CONSTANT,			/* nowhere: the compiler knows its value */
	PLACE_NONE,			/* nowhere */
	NPLACES
};

static const char *const place_reason[NPLACES] = {
	[PLACE_THREAD] = "it is thread-local: it has another address in each thread",
	[PLACE_LOCAL] = "it is a local variable, which has no fixed address",
	[PLACE_CONSTANT] = "it was optimized out: the compiler uses its value as a constant",
	[PLACE_NONE] = "it was optimized out: it is not in memory",
};

/* ---- entries ---- */
static const char *scoped_name(const struct lookup *l, const char *scope, const char *name)
{
	return *scope ? arena_printf(l->want->arena, "%s::%s", scope, name) : name;
}

/* The name in its language without parameters: ns::f of ns::f(int). */
static bool is_plain(const struct lookup *l, const char *linkage, const char *want)
{
	const char *plain = demangler_name(l->want->demangler, linkage);
	size_t n = strlen(want);

	return !strncmp(plain, want, n) && (!plain[n] || plain[n] == '(');
}

/* The entry to which a definition outside of its scope refers. Returns its offset, 0: none. */
static uint64_t specification_of(const struct lookup *l, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die to;

	return l->dw->hasattr(die, DW_AT_specification) && l->dw->attr_integrate(die, DW_AT_specification, &a) &&
	       l->dw->formref_die(&a, &to) ? l->dw->dieoffset(&to) : 0;
}

static const char *declared_scope(const struct lookup *l, Dwarf_Die *die, const char *scope)
{
	uint64_t off = specification_of(l, die);

	for (size_t i = 0; off && i < l->declared.n; i++)
		if (l->declared.v[i].off == off)
			return l->declared.v[i].scope;
	return scope;
}

static bool is_function(const struct lookup *l, Dwarf_Die *die, const char *scope, const char *name)
{
	const char *want = l->want->function;
	Dwarf_Attribute a;
	const char *linkage = l->dw->attr_integrate(die, DW_AT_linkage_name, &a) ? l->dw->formstring(&a) : NULL;

	scope = declared_scope(l, die, scope);
	return !*want || !strcmp(want, name) || !strcmp(want, scoped_name(l, scope, name)) ||
	       (linkage && (!strcmp(want, linkage) || is_plain(l, linkage, want)));
}

/* Where the entries of a scope are. */
struct scope {
	const char *name;		/* of the namespaces and classes, or "" */
	const char *function;		/* or "" */
	bool matches;
	unsigned depth;
};

static void search_entries(struct lookup *l, Dwarf_Die *parent, struct scope s);

static void search_function(struct lookup *l, Dwarf_Die *die, struct scope s)
{
	const char *name = l->dw->diename(die);

	if (!l->functions || !name)
		return;
	if (*s.name && l->dw->hasattr(die, DW_AT_declaration))
		*VEC_ADD(l->want->arena, &l->declared) = (struct declared){ l->dw->dieoffset(die), s.name };
	s.matches = is_function(l, die, s.name, name);
	s.function = name;
	s.name = "";
	if (s.matches)
		search_entries(l, die, s);
}

static void take_variable(struct lookup *l, Dwarf_Die *die, const struct scope *s)
{
	const char *name = l->dw->diename(die);

	if (!name || strcmp(name, l->last))
		return;
	*VEC_ADD(l->want->arena, &l->list) = (struct candidate){
		.die = *die, .off = l->dw->dieoffset(die), .scope = s->name, .function = s->function,
		.matches = s->matches, .declared = l->dw->hasattr(die, DW_AT_declaration),
	};
}

static void search_entry(struct lookup *l, Dwarf_Die *die, struct scope s)
{
	const char *name;

	switch (l->dw->tag(die)) {
	case DW_TAG_variable:
		take_variable(l, die, &s);
		break;
	case DW_TAG_member:		/* a static one, before DWARF 5 */
		if (l->dw->hasattr(die, DW_AT_declaration))
			take_variable(l, die, &s);
		break;
	case DW_TAG_subprogram:
		search_function(l, die, s);
		break;
	case DW_TAG_lexical_block:
		search_entries(l, die, s);
		break;
	case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_structure_type: case DW_TAG_class_type:
	case DW_TAG_union_type:
		name = l->dw->diename(die);
		if (name)
			s.name = scoped_name(l, s.name, name);
		if (l->scoped || l->functions || l->dw->tag(die) == DW_TAG_namespace)
			search_entries(l, die, s);
		break;
	}
}

static void search_entries(struct lookup *l, Dwarf_Die *parent, struct scope s)
{
	Dwarf_Die die;

	if (s.depth++ > DEPTH_MAX || l->dw->child(parent, &die) != 0)
		return;
	do
		search_entry(l, &die, s);
	while (debuginfo_next(l->want->info, &die));
}

static void search_unit(void *arg, Dwarf_Die *unit)
{
	struct lookup *l = arg;

	search_entries(l, unit, (struct scope){ .name = "", .function = "", .matches = !*l->want->function });
}

/* ---- addresses ---- */
static bool has_thread_operation(const Dwarf_Op *op, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (op[i].atom == DW_OP_GNU_push_tls_address || op[i].atom == DW_OP_form_tls_address)
			return true;
	return false;
}

/* An address, and perhaps a number to be added. */
static enum place operations_place(const struct lookup *l, Dwarf_Attribute *a, const Dwarf_Op *op, size_t n,
				   uint64_t *addr)
{
	Dwarf_Attribute indexed;

	if (!n)
		return PLACE_NONE;
	if (has_thread_operation(op, n))
		return PLACE_THREAD;
	if (op[0].atom == DW_OP_addr)
		*addr = op[0].number;
	else if ((op[0].atom != DW_OP_addrx && op[0].atom != DW_OP_GNU_addr_index) ||
		 l->dw->getlocation_attr(a, op, &indexed) != 0 || l->dw->formaddr(&indexed, addr) != 0)
		return op[n - 1].atom == DW_OP_stack_value ? PLACE_CONSTANT : PLACE_LOCAL;
	if (n == 2 && op[1].atom == DW_OP_plus_uconst)
		*addr += op[1].number;
	else if (n > 1)
		return op[n - 1].atom == DW_OP_stack_value ? PLACE_CONSTANT : PLACE_LOCAL;
	return PLACE_FIXED;
}

static enum place place_of(const struct lookup *l, struct candidate *c, uint64_t *addr)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;

	if (!l->dw->attr_integrate(&c->die, DW_AT_location, &a))
		return l->dw->attr_integrate(&c->die, DW_AT_const_value, &a) ? PLACE_CONSTANT : PLACE_NONE;
	return l->dw->getlocation(&a, &op, &n) == 0 ? operations_place(l, &a, op, n, addr) : PLACE_LOCAL;
}

/* ---- symbols ---- */
struct symbol_lookup {
	const struct symtab *table;
	const char *name;
	struct elf_sym found;
	bool any;
};

static void look_symbol(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct symbol_lookup *x = arg;
	char name[512];

	(void)i;
	if (s->type != STT_OBJECT || s->name >= x->table->strings_size ||
	    !elf_string(x->table->elf, x->table->strings + s->name, name, sizeof name))
		return;
	name[strcspn(name, "@")] = '\0';	/* a version */
	if (strcmp(name, x->name) || (x->any && s->bind == STB_LOCAL))
		return;
	x->found = *s;
	x->any = true;
}

static bool find_symbol(const struct symtab *t, const char *name, struct elf_sym *out)
{
	struct symbol_lookup x = { .table = t, .name = name };

	symtab_each(t, look_symbol, &x);
	*out = x.found;
	return x.any;
}

static bool find_in_tables(struct object *o, const char *name, struct elf_sym *out)
{
	unsigned n = object_tables(o);

	for (unsigned i = 0; i < n; i++)
		if (find_symbol(&o->table[i], name, out))
			return true;
	return false;
}

/* ---- choosing ---- */

/* The declaration to which a definition outside of its scope refers, or the entry itself. */
static const struct candidate *declaration_of(const struct lookup *l, struct candidate *c)
{
	uint64_t off = specification_of(l, &c->die);

	for (size_t i = 0; off && i < l->list.n; i++)
		if (l->list.v[i].off == off)
			return &l->list.v[i];
	return c;
}

static bool is_wanted(const struct lookup *l, struct candidate *c)
{
	return c->matches && !c->declared && !strcmp(scoped_name(l, declaration_of(l, c)->scope, l->last), l->name);
}

/* The choice among variables of one name. */
struct choice {
	struct candidate *best, *other;	/* other: as good, but another variable */
	uint64_t addr;
	enum place place;
	bool external;
};

/* What has an address is better than what has not, an external variable better than a static one. */
static void candidate_consider(const struct lookup *l, struct candidate *c, struct choice *x)
{
	Dwarf_Attribute a;
	uint64_t addr = 0;
	enum place place = place_of(l, c, &addr);
	bool external = l->dw->attr_integrate(&c->die, DW_AT_external, &a);
	bool better = !x->best || place < x->place || (place == x->place && external && !x->external);

	if (better)
		*x = (struct choice){ .best = c, .addr = addr, .place = place, .external = external };
	else if (place == PLACE_FIXED && x->place == place && addr != x->addr && external == x->external)
		x->other = c;
}

static int refuse_ambiguous(const struct lookup *l, const struct choice *x)
{
	const char *f = x->best->function, *g = x->other->function;

	if (strcmp(f, g))
		snprintf(l->reason, l->size, "functions '%s' and '%s' have static variables of this name: name the "
			 "function (MODULE:FUNCTION:%s)", f, g, l->last);
	else
		snprintf(l->reason, l->size, "several source files have a static variable of this name: "
			 "name it by its address and size (:::0xADDRESS,SIZE)");
	return -EINVAL;
}

static int variable_choose(const struct lookup *l)
{
	struct choice x = { 0 };
	struct elf_sym s;

	for (size_t i = 0; i < l->list.n; i++)
		if (is_wanted(l, &l->list.v[i]))
			candidate_consider(l, &l->list.v[i], &x);
	if (!x.best)
		return -ENOENT;
	if (x.place >= PLACE_CONSTANT && !l->scoped && find_in_tables(l->object, l->name, &s)) {
		x.addr = s.value;	/* an alias (environ) is described elsewhere under another name */
		x.place = PLACE_FIXED;
	}
	if (x.place != PLACE_FIXED) {
		snprintf(l->reason, l->size, "%s", place_reason[x.place]);
		return x.place == PLACE_LOCAL && !*l->want->function ? -ENODATA : -EINVAL;
	}
	if (x.other)
		return refuse_ambiguous(l, &x);
	l->out->base = x.addr;
	l->out->function = x.best->function;
	l->out->external = x.external;
	return members_follow(l->want->info, &x.best->die, l->path, &l->out->part, l->reason, l->size);
}

/* Variables in functions are searched last, because that takes longest. */
static int find_described(struct lookup *l, const struct debuginfo_file *f)
{
	int r = -ENOENT;

	for (const char *s; (s = strstr(l->last, "::"));)
		l->last = s + 2;
	l->scoped = l->last != l->name;
	if (!*l->want->function) {
		debuginfo_units(l->want->info, f, search_unit, l);
		r = variable_choose(l);
	}
	if (r != -ENOENT)
		return r;
	l->list.n = 0;
	l->functions = true;
	debuginfo_units(l->want->info, f, search_unit, l);
	return variable_choose(l);
}

/* Without debugging information: a symbol. */
static int find_named(const struct lookup *l)
{
	struct elf_sym s;

	if (!find_in_tables(l->object, l->name, &s))
		return -ENOENT;
	if (*l->path || (s.size != 1 && s.size != 2 && s.size != 4 && s.size != 8)) {
		snprintf(l->reason, l->size, "it has %" PRIu64 " bytes, and %s has no debugging information that "
			 "describes its members: " DEBUGINFO_ADVICE, s.size, l->object->name);
		return -ENODATA;
	}
	l->out->base = s.value;
	l->out->part.size = s.size;
	l->out->external = s.bind != STB_LOCAL;
	return 0;
}

bool variables_exported(struct object *o, const char *name, uint64_t *addr)
{
	const struct elf *e = object_image(o);
	struct elf_sym s;
	struct symtab t;
	bool found;

	if (!e || !symtab_open(&t, e, SHT_DYNSYM))
		return false;
	found = find_symbol(&t, name, &s);
	symtab_close(&t);
	*addr = s.value;
	return found;
}

int variables_find(const struct variable_want *w, struct object *o, struct variable *out, char *reason, size_t size)
{
	const char *path = w->name + strcspn(w->name, ".[");
	const struct debuginfo_file *f = debuginfo_find(w->info, o);
	const bool described = f && f->dwarf;
	struct lookup l = {
		.want = w, .path = path, .out = out, .reason = reason, .size = size, .dw = &w->info->dw, .object = o,
		.name = arena_strndup(w->arena, w->name, (size_t)(path - w->name)),
	};
	int r = -ENOENT;

	l.last = l.name;
	*out = (struct variable){ .function = "", .name = l.name };
	if (described)
		r = find_described(&l, f);
	if (r == -ENOENT && !*w->function)
		r = find_named(&l);
	if (r == -ENOENT)
		snprintf(reason, size, "%s%s", described ? "" : "it has no debugging information: ",
			 described ? "" : DEBUGINFO_ADVICE);
	return r;
}
