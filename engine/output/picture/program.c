/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the object in a picture that is the traced program. */
#include <string.h>

#include "engine/output/picture/picture.h"

struct program_weight {
	const char *object;
	bool user;
	size_t path;		/* the last path that contained it */
	int64_t value;		/* of all paths that have a frame in it */
};

struct program_weights {
	struct arena *arena;
	struct map numbers;	/* object -> index + 1 */
	VEC(struct program_weight) v;
};

static void frame_weigh(struct program_weights *w, const struct picture_frame *f, size_t path, int64_t value)
{
	void **at = map_put(&w->numbers, f->object, strlen(f->object));
	struct program_weight *x;

	if (!*at) {
		*VEC_ADD(w->arena, &w->v) = (struct program_weight){ .object = f->object, .user = f->user };
		*at = (void *)(uintptr_t)w->v.n;
	}
	x = &w->v.v[(uintptr_t)*at - 1];
	if (x->path == path)
		return;
	x->path = path;
	x->value += value;
}

static void picture_weigh(struct program_weights *w, const struct picture *p)
{
	size_t path = 0;

	for (size_t i = 0; i < p->aggs.n; i++)
		for (size_t k = 0; k < p->aggs.v[i].paths.n; k++) {
			const struct picture_path *x = &p->aggs.v[i].paths.v[k];

			path++;
			for (unsigned n = 0; n < x->n; n++)
				if (p->frames.v[x->frames[n]].object)
					frame_weigh(w, &p->frames.v[x->frames[n]], path, x->value);
		}
}

/* False for "libc.so.6", "x.so", "[vdso]". */
static bool is_program(const char *object)
{
	const char *so = strstr(object, ".so");

	while (so && so[3] && so[3] != '.')
		so = strstr(so + 3, ".so");
	return *object != '[' && !so;
}

const char *picture_program(struct picture *p, const char *wanted)
{
	struct program_weights w = { .arena = p->arena };
	const struct program_weight *best = NULL;
	bool kernel = false;

	map_init(&w.numbers, w.arena);
	picture_weigh(&w, p);
	for (size_t i = 0; i < w.v.n; i++) {
		const struct program_weight *x = &w.v.v[i];

		if (!strcmp(x->object, wanted))
			return x->object;
		kernel |= !x->user;
		if (x->user && is_program(x->object) && (!best || x->value > best->value))
			best = x;
	}
	if (best)
		return best->object;
	if (*wanted)
		return wanted;
	return kernel ? "vmlinux" : NULL;
}
