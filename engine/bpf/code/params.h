/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What code generation needs to know of a session. Ownership: none. Errors: none. */
#ifndef ENGINE_BPF_CODE_PARAMS_H
#define ENGINE_BPF_CODE_PARAMS_H

#include "engine/bpf/code/bpf.h"

struct d_prog;
struct options;

/* The parameters for a program with these options on this machine. The seed is 0. */
struct bpf_params params_of(const struct d_prog *p, const struct options *o);

#endif
