/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/subs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <unistd.h>

#include "engine/bpf/asm.h"
#include "engine/bpf/bpf.h"
#include "engine/host/refusal.h"

/* The BTF ID of a function with this name; negative: an error. */
static int type_of(struct btf *btf, struct map *types, int proto, const char *name)
{
	void **slot = map_put(types, name, strlen(name));

	if (!*slot)
		*slot = (void *)(intptr_t)btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
	return (int)(intptr_t)*slot;
}

static int describe(struct bpf_func_info *info, const struct bpf_code *c, struct btf *btf, struct map *types, int proto)
{
	for (size_t i = 0; i < c->nsubs; i++) {
		int type = type_of(btf, types, proto, c->subs[i].name);

		if (type < 0)
			return type;
		info[i] = (struct bpf_func_info){ .insn_off = c->subs[i].insn, .type_id = (uint32_t)type };
	}
	return 0;
}

/* Builds and loads the BTF. Returns a descriptor. */
static int make(struct bpf_subs *s, const struct bpf_image *im, struct btf *btf, struct map *types)
{
	int word = btf__add_int(btf, "long", 8, BTF_INT_SIGNED), proto = btf__add_func_proto(btf, word), err;
	const void *raw;
	uint32_t len;

	if (word < 0 || proto < 0)
		return -ENOMEM;
	for (size_t i = 0; i < im->codes.n; i++) {
		const struct bpf_code *c = &im->codes.v[i];

		if (!c->nsubs)
			continue;
		s->info[i] = arena_calloc(im->arena, c->nsubs, sizeof **s->info);
		err = describe(s->info[i], c, btf, types, proto);
		if (err < 0)
			return err;
	}
	raw = btf__raw_data(btf, &len);
	if (!raw)
		return -ENOMEM;
	s->fd = bpf_btf_load(raw, len, NULL);
	return s->fd < 0 ? -errno : s->fd;
}

int subs_describe(struct bpf_subs *s, const struct bpf_image *im, struct diags *d)
{
	struct map types;
	struct btf *btf;
	char reason[256];
	int err;

	*s = (struct bpf_subs){ .fd = -1 };
	if (!im->lib)
		return 0;
	s->info = arena_calloc(im->arena, im->codes.n + 1, sizeof *s->info);
	map_init(&types, im->arena);
	btf = btf__new_empty();
	err = btf ? make(s, im, btf, &types) : -ENOMEM;
	btf__free(btf);
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
