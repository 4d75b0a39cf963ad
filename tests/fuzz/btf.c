/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Invalid type information: the input is a BTF file. Every type that it names is looked up and traversed, and a script
 * that uses the usual types is compiled with it. The input may begin with another script, which ends with a line "%%".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/dtext.h"
#include "lang/types/type_find.h"
#include "tests/fuzz/fuzz.h"

enum { MAXNAMES = 64, MAXDEPTH = 6, MAXSTEPS = 2000 };

static const char usual[] =
	"BEGIN { trace(curthread->tgid); trace(stringof(curthread->comm)); trace(curpsinfo->pr_pgid); "
	"trace(curlwpsinfo->pr_pri); trace(sizeof(struct task_struct)); trace(curthread->odd->b3); "
	"trace(curthread->odd->far); trace(curthread->odd->state); this->t = curthread->group_leader; "
	"trace(this->t->signal->pids[1]->numbers[0].nr); trace((long)&curthread->odd->wide); }\n";

struct btf_walk {
	struct types *t;
	struct buf text;
	unsigned steps;
};

static void walk_type(struct btf_walk *w, struct type *ty, unsigned depth)
{
	uint64_t off;

	if (!ty || depth > MAXDEPTH || ++w->steps > MAXSTEPS)
		return;
	buf_reset(&w->text);
	type_print(&w->text, ty);
	FUZZ_CHECK(type_align(w->t, ty) >= 1, "%s", buf_str(&w->text));
	if (ty->kind == T_PTR || ty->kind == T_ARRAY)
		walk_type(w, ty->ref, depth + 1);
	if ((ty->kind != T_STRUCT && ty->kind != T_UNION) || !type_members(w->t, ty))
		return;
	type_member(w->t, ty, "no such member", &off);
	for (unsigned i = 0; i < ty->nmembers && w->steps < MAXSTEPS; i++) {
		if (ty->members[i].name)
			type_member(w->t, ty, ty->members[i].name, &off);
		walk_type(w, ty->members[i].type, depth + 1);
	}
}

static bool is_name(const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum(s[i]) && s[i] != '_')
			return false;
	return n > 0 && n < 40;
}

/* Anything in the file that looks like a name may be one. */
static void walk_names(struct btf_walk *w, const uint8_t *data, size_t size)
{
	static const char *const tags[] = { "", "struct ", "union ", "enum " };
	size_t names = 0;

	for (size_t at = 0; at < size && names < MAXNAMES;) {
		size_t n = strnlen((const char *)data + at, size - at);

		if (is_name(data + at, n)) {
			for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
				walk_type(w, type_lookup(w->t, arena_printf(w->t->arena, "%s%.*s", tags[i], (int)n,
									    (const char *)data + at)), 0);
			names++;
		}
		at += n + 1;
	}
}

static void compile(const char *path, const char *script, size_t n)
{
	struct dcheck w;

	dtext_open(&w, script, n);
	w.c.types.btf_path = path;
	dcheck_run(&w);
	if (!w.err)
		lang_lower(&w.c);
	fuzz_diags(&w.diags, D_KTYPE);
	dcheck_close(&w);
}

static void walk_file(struct arena *a, const char *path, const uint8_t *data, size_t size)
{
	struct btf_walk w = { .text = { 0 } };
	struct types t;

	types_init(&t, a);
	t.btf_path = path;
	w.t = &t;
	walk_names(&w, data, size);
	types_close(&t);
	buf_free(&w.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *mark = memmem(data, size, "\n%%\n", 4);
	char *script = mark ? fuzz_text(data, (size_t)(mark + 1 - data)) : NULL;
	const uint8_t *btf = mark ? mark + 4 : data;
	size_t n = (size_t)(data + size - btf);
	int fd = memfd_create("input", 0);
	struct arena a;
	const char *path;

	if (fd < 0 || write(fd, btf, n) != (ssize_t)n)
		abort();
	arena_init(&a, NULL, NULL);
	path = arena_printf(&a, "/proc/self/fd/%d", fd);
	walk_file(&a, path, btf, n);
	compile(path, script ? script : usual, strlen(script ? script : usual));
	arena_free(&a);
	free(script);
	close(fd);
	return 0;
}
