/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/load/subs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "rt/gather.h"
#include "rt/unwind.h"

/* Functions that the kernel verifies once, instead of at each call: of the run-time library (rt/), and the
 * reporter of faults. Their first argument points to memory of this size (0: a number), the others are numbers. */
static const struct subs_global {
	const char *name;
	uint32_t size;
	int nargs;
} globals[] = {
	{ "unwind_window", sizeof(struct unwind_slot), 2 }, { "unwind_word", sizeof(struct unwind_slot), 2 },
	{ "unwind_rule", sizeof(struct unwind_slot), 2 }, { "unwind_up", sizeof(struct unwind_slot), 2 },
	{ "unwind_space", sizeof(struct unwind_slot), 1 }, { "unwind_hand_over", sizeof(struct unwind_slot), 3 },
	{ "unwind_walk", sizeof(struct unwind_slot), 3 }, { "unwind_finish", sizeof(struct unwind_slot), 3 },
	{ "unwind_part", sizeof(struct unwind_slot), 2 }, { "unwind_parts", sizeof(struct unwind_slot), 2 },
	{ "unwind_parts_choose", sizeof(struct unwind_slot), 1 },
	{ "jstack_forked", sizeof(struct unwind_slot), 1 },
	{ "jstack_begin", sizeof(struct unwind_slot), 1 }, { "jstack_walk", sizeof(struct unwind_slot), 1 },
	{ "jstack_function", sizeof(struct unwind_slot), 1 }, { "jstack_number", sizeof(struct unwind_slot), 2 },
	{ "jstack_known", sizeof(struct unwind_slot), 1 }, { "jstack_learn", sizeof(struct unwind_slot), 2 },
	{ "jstack_names", sizeof(struct unwind_slot), 1 }, { "jstack_merge", sizeof(struct unwind_slot), 2 },
	{ "jstack_send", sizeof(struct unwind_slot), 1 },
	{ "v8_search", sizeof(struct unwind_slot), 1 }, { "v8_send_code", sizeof(struct unwind_slot), 3 },
	{ "v8_code_number", sizeof(struct unwind_slot), 3 },
	{ "jstack_python", 0, 3 }, { "jstack_v8", 0, 3 }, { "jstack_rest", sizeof(struct unwind_slot), 3 },
	{ "v8_frame_at", sizeof(struct unwind_slot), 2 },
	{ "v8_read_frame", sizeof(struct unwind_slot), 3 }, { "v8_read_function", sizeof(struct unwind_slot), 1 },
	{ "v8_number", sizeof(struct unwind_slot), 1 }, { "v8_send", sizeof(struct unwind_slot), 2 },
	{ "gather_add", sizeof(struct gather), 5 }, { "gather_texts", sizeof(struct gather), 5 },
	{ "gather_vector", sizeof(struct gather), 5 }, { "gather_message", sizeof(struct gather), 4 },
	{ "gather_argument", sizeof(struct gather), 3 },
	{ "fault", 0, 5 },
};

/* The types that descriptions of functions use. */
struct subs_types {
	struct btf *btf;
	struct map func;		/* name -> BTF ID */
	int word, proto;		/* long; long () */
};

/* The BTF ID of the function's type. */
static int global_proto(const struct subs_types *t, const struct subs_global *g)
{
	int byte = btf__add_int(t->btf, "char", 1, 0);
	int array = btf__add_array(t->btf, t->word, byte, g->size), ptr = btf__add_ptr(t->btf, array);
	int first = g->size ? ptr : t->word, proto = btf__add_func_proto(t->btf, t->word);

	for (int i = 0; i < g->nargs; i++)
		if (btf__add_func_param(t->btf, i ? "value" : "slot", i ? t->word : first))
			return -ENOMEM;
	return byte < 0 || array < 0 ? -ENOMEM : proto;
}

/* The BTF ID of a function with this name; negative: an error. */
static int type_of(struct subs_types *t, const char *name)
{
	void **slot = map_put(&t->func, name, strlen(name));
	const struct subs_global *g = NULL;
	int proto = t->proto;

	for (size_t i = 0; !*slot && i < sizeof globals / sizeof globals[0]; i++)
		if (!strcmp(globals[i].name, name))
			g = &globals[i];
	if (g)
		proto = global_proto(t, g);
	if (!*slot)
		*slot = (void *)(intptr_t)btf__add_func(t->btf, name, g ? BTF_FUNC_GLOBAL : BTF_FUNC_STATIC, proto);
	return (int)(intptr_t)*slot;
}

static int describe_code(struct bpf_func_info *info, const struct bpf_code *c, struct subs_types *t)
{
	for (size_t i = 0; i < c->nsubs; i++) {
		int type = type_of(t, c->subs[i].name);

		if (type < 0)
			return type;
		info[i] = (struct bpf_func_info){ .insn_off = c->subs[i].insn, .type_id = (uint32_t)type };
	}
	return 0;
}

/* Builds and loads the BTF. Returns a descriptor. */
static int make_btf(struct bpf_subs *s, const struct bpf_image *im, struct subs_types *t)
{
	const void *raw;
	uint32_t len;
	int err;

	t->word = btf__add_int(t->btf, "long", 8, BTF_INT_SIGNED);
	t->proto = btf__add_func_proto(t->btf, t->word);
	if (t->word < 0 || t->proto < 0)
		return -ENOMEM;
	for (size_t i = 0; i < im->codes.n; i++) {
		const struct bpf_code *c = &im->codes.v[i];

		if (!c->nsubs)
			continue;
		s->info[i] = arena_calloc(im->arena, c->nsubs, sizeof **s->info);
		err = describe_code(s->info[i], c, t);
		if (err < 0)
			return err;
	}
	for (size_t i = 0; i < im->walkers.n; i++) {
		s->walker[i] = arena_calloc(im->arena, im->walkers.v[i].nsubs, sizeof **s->walker);
		err = describe_code(s->walker[i], &im->walkers.v[i], t);
		if (err < 0)
			return err;
	}
	raw = btf__raw_data(t->btf, &len);
	if (!raw)
		return -ENOMEM;
	s->fd = create_btf(raw, len);
	return s->fd < 0 ? -errno : s->fd;
}

static bool subs_needed(const struct bpf_image *im)
{
	for (size_t i = 0; i < im->codes.n; i++)
		if (im->codes.v[i].nsubs)
			return true;
	return false;
}

int subs_describe(struct bpf_subs *s, const struct bpf_image *im, struct diags *d)
{
	struct subs_types t = { .btf = NULL };
	char reason[256];
	int err;

	*s = (struct bpf_subs){ .fd = -1 };
	if (!subs_needed(im))
		return 0;
	s->info = arena_calloc(im->arena, im->codes.n + 1, sizeof *s->info);
	s->walker = arena_calloc(im->arena, im->walkers.n + 1, sizeof *s->walker);
	map_init(&t.func, im->arena);
	t.btf = btf__new_empty();
	err = t.btf ? make_btf(s, im, &t) : -ENOMEM;
	btf__free(t.btf);
	if (err >= 0)
		return 0;
	refusal_bpf(reason, sizeof reason, err, "describing the run-time library to the kernel");
	return diag(d, (struct loc){ 0 }, D_BPF, "%s", reason);
}

void subs_close(struct bpf_subs *s)
{
	if (s->info && s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
