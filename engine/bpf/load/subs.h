/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BTF names and types for subprograms of programs that use the run-time library. The kernel lets a helper call a
 * subprogram only if func_info describes all subprograms of the program.
 *
 * Ownership: the image's arena owns the tables; subs_close closes the descriptor (idempotent).
 * Errors: no memory, or the kernel refuses the BTF (D_BPF).
 */
#ifndef ENGINE_BPF_LOAD_SUBS_H
#define ENGINE_BPF_LOAD_SUBS_H

#include "engine/bpf/load/loaded.h"

struct bpf_image;
struct diags;

/* Loads the BTF if a program needs it. Returns 0, or -1 after a diagnostic. */
int subs_describe(struct bpf_subs *s, const struct bpf_image *im, struct diags *d);
void subs_close(struct bpf_subs *s);

#endif
