/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names and types for the subprograms of programs that use the run-time library: the kernel calls a subprogram from a
 * helper only if it is described, and then wants to know about all of them.
 *
 * Who owns what: the image's arena owns the tables, subs_close gives back the descriptor (idempotent).
 * What can fail: memory, the kernel (D_BPF).
 */
#ifndef ENGINE_BPF_SUBS_H
#define ENGINE_BPF_SUBS_H

#include "engine/bpf/bpf.h"

/* 0, or -1 after a diagnostic. Programs that need none cost nothing. */
int subs_describe(struct bpf_subs *s, const struct bpf_image *im, struct diags *d);
void subs_close(struct bpf_subs *s);

#endif
