/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads a generated image (bpf.h): creates its maps and loads its programs.
 *
 * Ownership: a loaded image owns descriptors and a mapping until bpf_unload (idempotent).
 * Errors: bpf_load (D_BPF, with the D source line).
 */
#ifndef ENGINE_BPF_LOAD_LOAD_H
#define ENGINE_BPF_LOAD_LOAD_H

#include <linux/bpf.h>

#include "engine/bpf/load/loaded.h"

struct bpf_code;
struct bpf_insn;
struct diags;
struct ir_func;

/* An image of which nothing is loaded yet. */
void bpf_loaded_init(struct bpf_loaded *l, const struct bpf_image *im);
/* Returns 0, or -1 with diagnostics. Call bpf_unload in either case. */
int bpf_load(struct bpf_loaded *l, const struct bpf_image *im, struct diags *d);
void bpf_unload(struct bpf_loaded *l);
/* The descriptor of a function's program, or -1: it has none. f: may be NULL. */
int bpf_program(const struct bpf_loaded *l, const struct ir_func *f);
/* The type of a code's program, and of what it attaches to. */
enum bpf_prog_type bpf_code_type(const struct bpf_code *c);
enum bpf_attach_type bpf_code_attach_type(const struct bpf_code *c);
/* The ID of a tracepoint's type in the kernel's type information; 0: it has none. */
uint32_t bpf_tracepoint_type(const char *tracepoint);
/* A copy of the instructions, with the descriptors of the maps, which the caller frees. NULL: no memory. */
struct bpf_insn *bpf_code_insns(const struct bpf_loaded *l, const struct bpf_code *c);
/* Runs an IR_C_RUN program in this thread (cpu < 0) or on `cpu`. Returns 0 or -errno. */
int bpf_run(int progfd, int cpu);
/* Runs it in this thread with `word` as the first word of its context. */
int bpf_run_with(int progfd, uint64_t word);

#endif
