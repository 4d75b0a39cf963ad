/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/load/walkers.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"
#include "ir/ir.h"

/* Loads a walker as a program of the same type as `caller`. Returns a descriptor or -errno. */
static int program_load(const struct bpf_loaded *l, enum link_walker w, const struct bpf_code *caller)
{
	const struct bpf_code *c = &l->im->walkers.v[w];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_btf_fd = (uint32_t)l->btf.fd, .func_info = l->btf.walker[w],
		    .func_info_cnt = (uint32_t)c->nsubs, .func_info_rec_size = sizeof(struct bpf_func_info),
		    .expected_attach_type = bpf_code_attach_type(caller));
	struct bpf_insn *insns = bpf_code_insns(l, c);
	int fd;

	if (!insns)
		return -ENOMEM;
	if (caller->typed)
		opts.attach_btf_id = bpf_tracepoint_type(caller->func->tracepoint);
	fd = bpf_prog_load(bpf_code_type(caller), w == LINK_V8 ? "dtr_v8" : "dtr_python", "GPL", insns, c->n, &opts);
	fd = fd < 0 ? -errno : fd;
	free(insns);
	return fd;
}

int walker_load(struct bpf_loaded *l, enum link_walker w)
{
	const struct bpf_image *im = l->im;
	uint32_t key = w, filled = UINT32_MAX;
	int err = im->walkers.n && !l->btf.walker ? -ENOTSUP : 0;	/* programs of another process */

	for (uint32_t map = 0; map < im->maps.n && !err; map++)
		for (size_t i = 0; i < im->codes.n && im->maps.v[map].role == BPF_MAP_WALKERS && map != filled; i++) {
			int fd;

			if (im->codes.v[i].walkers != map)
				continue;
			fd = program_load(l, w, &im->codes.v[i]);
			if (fd < 0)
				return fd;
			err = bpf_map_update_elem(l->mapfd[map], &key, &fd, BPF_ANY) ? -errno : 0;
			close(fd);		/* the map keeps the program */
			filled = map;
		}
	return err;
}
