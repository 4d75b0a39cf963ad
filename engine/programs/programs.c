/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/programs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "engine/programs/decoder.h"
#include "engine/programs/entries.h"
#include "engine/programs/functions.h"
#include "engine/programs/notes.h"
#include "engine/programs/parameters.h"
#include "engine/programs/statements.h"
#include "engine/programs/steps.h"
#include "engine/programs/variables.h"
#include "engine/symbols/demangle.h"
#include "engine/symbols/lines.h"
#include "engine/symbols/maps.h"

struct programs {
	struct arena *arena;
	struct maps maps;		/* the files */
	struct map functions;		/* struct object * -> struct functions */
	struct map notes;		/* struct object * -> struct notes */
	struct map entries;		/* struct object * -> struct entries */
	struct demangler demangler;
	struct decoder decoder;
	char missing[100];		/* why there is no decoder */
	struct source_lines *lines;	/* NULL: not opened yet */
};

struct programs *programs_open(struct arena *a)
{
	struct programs *g = arena_alloc(a, sizeof *g);

	g->arena = a;
	maps_init(&g->maps);
	map_init(&g->functions, a);
	map_init(&g->notes, a);
	map_init(&g->entries, a);
	return g;
}

void programs_close(struct programs *g)
{
	if (!g)
		return;
	lines_close(g->lines);
	maps_close(&g->maps);
	demangler_close(&g->demangler);
	decoder_close(&g->decoder);
}

/* ---- files ---- */
struct listing {
	struct programs *programs;
	VEC(struct program_module) list;
	uint64_t program;		/* inode of the program */
	bool failed;
};

static void add_module(void *arg, const struct mapping *x)
{
	struct listing *l = arg;
	struct object *o = x->file;
	struct program_module *m;

	for (size_t i = 0; i < l->list.n; i++)
		if (l->list.v[i].file == o)
			return;
	if (*o->path != '/' || !object_image(o))
		return;
	m = VEC_ADD(l->programs->arena, &l->list);
	*m = (struct program_module){
		.name = o->ino == l->program ? "a.out" : o->name, .path = o->path, .program = o->ino == l->program,
		.fd = o->elf.fd, .start = x->start, .end = x->end, .off = x->off, .file = o,
	};
}

static uint64_t program_inode(int64_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%" PRId64 "/exe", pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

static int find_modules(struct programs *g, int64_t pid, const struct program_module **out, size_t *n, char *reason,
			size_t size)
{
	struct listing l = { .programs = g, .program = program_inode(pid) };
	int r = maps_code(&g->maps, pid, add_module, &l);

	if (r == -ENOENT)
		r = -ESRCH;
	if (r)
		snprintf(reason, size, "%s", strerror(-r));
	if (!r && !l.program) {
		snprintf(reason, size, "it has ended, or is a kernel thread");
		r = -ESRCH;
	}
	*out = l.list.v;
	*n = l.list.n;
	return r;
}

struct regions_given {
	int64_t pid;
	void (*fn)(void *arg, const struct program_region *r);
	void *arg;
};

static void give_region(void *arg, uint64_t start, uint64_t end, uint64_t ino)
{
	const struct regions_given *g = arg;
	const struct program_region r = { .pid = g->pid, .start = start, .end = end, .ino = ino };

	g->fn(g->arg, &r);
}

static int each_region(int64_t pid, void (*fn)(void *arg, const struct program_region *r), void *arg)
{
	struct regions_given g = { pid, fn, arg };

	return maps_regions(pid, give_region, &g);
}

static const struct program_module *module_at(struct programs *g, int64_t pid, uint64_t addr)
{
	struct listing l = { .programs = g, .program = program_inode(pid) };
	struct mapping x;

	if (maps_at(&g->maps, pid, addr, &x))
		add_module(&l, &x);
	return l.list.v;
}

/* ---- functions ---- */
static int find_functions(struct programs *g, void *file, struct functions **out)
{
	void **slot = map_put(&g->functions, &file, sizeof file);
	struct functions *f = *slot;
	int r = 0;

	if (!f) {
		*slot = f = arena_alloc(g->arena, sizeof *f);
		r = functions_read(f, g->arena, file);
	}
	*out = f;
	return r;
}

static int list_functions(struct programs *g, const struct program_module *m, const struct program_function **out,
			  size_t *n)
{
	struct functions *f;
	int r = find_functions(g, m->file, &f);

	*out = f->list.v;
	*n = f->list.n;
	return r;
}

static const char *plain_name(struct programs *g, const char *name)
{
	return demangler_name(&g->demangler, name);
}

/* ---- instructions ---- */
static int each_step(struct programs *g, const struct program_module *m, const struct program_function *f,
		     step_fn *fn, void *arg, char *reason, size_t size)
{
	struct functions *all;
	int r = find_functions(g, m->file, &all);

	if (!decoder_open(&g->decoder, reason, size))
		return -ENOEXEC;
	if (!r)
		r = steps_read(&(struct steps_code){ &g->decoder, object_image(m->file), all }, f, fn, arg);
	if (r)
		snprintf(reason, size, "%s", r == -ENOEXEC ? "its instructions cannot be decoded" : strerror(-r));
	return r;
}

static struct program_step first_step(struct programs *g, const struct program_module *m,
				      const struct program_function *f)
{
	const struct elf *e = object_image(m->file);
	struct program_step step = { .probed = true };
	uint8_t code[16];
	struct insn x;
	size_t n = f->size < sizeof code ? f->size : sizeof code;

	if (!f->size)
		n = sizeof code;	/* unknown */
	if (!decoder_open(&g->decoder, g->missing, sizeof g->missing)) {
		step.why = DECODER_REQUIRED ? g->missing : NULL;
	} else if (!elf_read(e, f->off, code, n) || !decoder_insn(&g->decoder, e->is64, code, n, &x)) {
		step.why = "it is not an instruction";
	} else {
		step.why = x.refused;
		step.emulated = x.emulated;
	}
	step.probed = !step.why;
	return step;
}

struct choosing {
	const struct functions *all;
	void (*fn)(void *arg, const struct program_function *choice);
	void *arg;
};

static void choice_give(void *arg, uint64_t off)
{
	const struct choosing *c = arg;
	const struct program_function *f = functions_at(c->all, off), unknown = { .name = "", .off = off };

	if (!f || f->off == off)
		c->fn(c->arg, f ? f : &unknown);
}

static int each_choice(struct programs *g, const struct program_module *m, const struct program_function *f,
		       void (*fn)(void *arg, const struct program_function *choice), void *arg, char *reason,
		       size_t size)
{
	struct choosing c = { .fn = fn, .arg = arg };
	struct functions *all;
	int r = find_functions(g, m->file, &all);

	c.all = all;
	if (!decoder_open(&g->decoder, reason, size))
		return -ENOEXEC;
	if (!r)
		r = steps_addresses(&g->decoder, object_image(m->file), f, choice_give, &c);
	if (r)
		snprintf(reason, size, "%s", r == -ENOEXEC ? "its instructions cannot be decoded" : strerror(-r));
	return r;
}

/* ---- probes that are compiled in ---- */
static int find_notes(struct programs *g, const struct program_module *m, const struct program_note **out, size_t *n)
{
	void **slot = map_put(&g->notes, &m->file, sizeof m->file);
	struct notes *list = *slot;
	const struct elf *e = object_image(m->file);
	int r = 0;

	if (!list) {
		*slot = list = arena_alloc(g->arena, sizeof *list);
		r = e ? notes_read(list, g->arena, e) : 0;
	}
	*out = list->list.v;
	*n = list->list.n;
	return r;
}

static const struct program_function *function_at(struct programs *g, const struct program_module *m, uint64_t off)
{
	struct functions *f;

	return find_functions(g, m->file, &f) < 0 ? NULL : functions_at(f, off);
}

static bool find_symbol(struct programs *g, const struct program_module *m, const char *name, size_t n,
			uint64_t *address)
{
	struct object *o = m->file;
	unsigned tables = object_tables(o);

	(void)g;
	for (unsigned i = 0; i < tables; i++)
		if (symtab_named(&o->table[i], name, n, address))
			return true;
	return false;
}

static void each_process(void (*fn)(void *arg, int64_t pid), void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)*e->d_name))
			fn(arg, atoll(e->d_name));
	if (d)
		closedir(d);
}

/* ---- variables ---- */

/* What has to be added to the link addresses of a file. */
static uint64_t bias_of(const struct program_module *m)
{
	const struct elf *e = object_image(m->file);
	uint64_t bias;

	return e && elf_bias(e, m->start, m->off, &bias) ? bias : 0;
}

static struct source_lines *lines_of(struct programs *g)
{
	if (!g->lines)
		g->lines = lines_open();
	return g->lines;
}

static int find_variable(struct programs *g, const struct program_module *m, const struct program_module *program,
			 const char *function, const char *name, struct program_variable *out, char *reason,
			 size_t size)
{
	const struct variable_want w = {
		g->arena, lines_of(g) ? lines_info(g->lines) : NULL, &g->demangler, name, function,
	};
	struct variable v;
	uint64_t copy;
	int r = w.info ? variables_find(&w, m->file, &v, reason, size) : -ENOMEM;

	if (r == -ENOMEM)
		snprintf(reason, size, "out of memory");
	if (r)
		return r;
	*out = (struct program_variable){ .function = v.function, .size = v.part.size,
		.is_signed = v.part.is_signed };
	if (program && program != m && v.external && variables_exported(program->file, v.name, &copy))
		out->addr = copy + v.part.off + bias_of(program);
	else
		out->addr = v.base + v.part.off + bias_of(m);
	return 0;
}

/* ---- source lines ---- */

struct entries_want {
	struct programs *programs;
	struct object *object;
	const struct functions *all;
};

/* NULL: they cannot be found. */
static const struct entries *find_entries(void *arg)
{
	struct entries_want *w = arg;
	void **slot = map_put(&w->programs->entries, &w->object, sizeof w->object);
	struct entries *x = *slot;

	if (!x) {
		*slot = x = arena_alloc(w->programs->arena, sizeof *x);
		x->bad = entries_read(x, w->programs->arena, &w->programs->decoder, object_image(w->object),
				      w->all) < 0;
	}
	return x->bad ? NULL : x;
}

static int find_statements(struct programs *g, const struct program_module *m, bool blocks,
			   bool (*wanted)(void *arg, const char *path),
			   void (*found)(void *arg, const struct program_statement *s), void *arg, char *reason,
			   size_t size)
{
	struct statements_want w = {
		.arena = g->arena, .lines = lines_of(g), .decoder = &g->decoder, .wanted = wanted, .found = found,
		.arg = arg,
	};
	struct functions *all;

	if (!w.lines || find_functions(g, m->file, &all)) {
		snprintf(reason, size, "out of memory");
		return -ENOMEM;
	}
	w.functions = all;
	if (decoder_open(&g->decoder, g->missing, sizeof g->missing) && blocks)
		w.entries = find_entries;
	w.entries_arg = &(struct entries_want){ g, m->file, all };
	return statements_find(&w, m->file, reason, size);
}

static bool find_signature(struct programs *g, const struct program_module *m, const struct program_function *f,
			   struct program_signature *out)
{
	struct debuginfo *info = lines_of(g) ? lines_info(g->lines) : NULL;
	const struct elf *e = object_image(m->file);
	uint64_t address;

	return info && e && e->is64 && elf_vaddr(e, f->off, &address) &&
	       parameters_find(info, m->file, address, f->go, out);
}

const struct program_ops programs_ops = {
	.open = programs_open, .close = programs_close,
	.modules = find_modules, .at = module_at, .regions = each_region, .processes = each_process,
	.functions = list_functions, .function_at = function_at, .plain = plain_name, .symbol = find_symbol,
	.first = first_step, .steps = each_step, .choices = each_choice, .notes = find_notes,
	.variable = find_variable, .statements = find_statements, .signature = find_signature,
};
