/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creates maps, programs and type information by bpf(2), with the arguments of libbpf's functions. Those first load
 * programs to learn what the kernel can do (names, accounting of memory), which takes as long as loading a short
 * script; dtr needs a kernel that has all of it.
 *
 * Ownership: the caller owns the descriptors. Errors: -errno.
 */
#ifndef ENGINE_HOST_CREATE_H
#define ENGINE_HOST_CREATE_H

#include <bpf/bpf.h>
#include <stddef.h>
#include <stdint.h>

/* Before Linux 5.11 maps and programs count as locked memory: removes this process's limit, if it may. */
void create_unlimited(void);
/* As bpf_map_create(). opts: NULL, or map_flags, inner_map_fd, btf_fd, btf_key_type_id, btf_value_type_id. */
int create_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries,
	       const struct bpf_map_create_opts *opts);
/* As bpf_prog_load(), under the licence GPL. opts: NULL, or expected_attach_type, attach_btf_id, prog_btf_fd,
 * func_info, func_info_cnt, func_info_rec_size, log_buf, log_size, log_level. */
int create_program(enum bpf_prog_type type, const char *name, const struct bpf_insn *code, size_t n,
		   const struct bpf_prog_load_opts *opts);
/* As bpf_btf_load(). */
int create_btf(const void *data, uint32_t n);

#endif
