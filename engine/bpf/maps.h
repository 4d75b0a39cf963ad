/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps of a loaded image. They belong to it (bpf_unload). What can fail: making them (D_BPF). */
#ifndef ENGINE_BPF_MAPS_H
#define ENGINE_BPF_MAPS_H

#include "engine/bpf/bpf.h"

int maps_make(struct bpf_loaded *l, struct diags *d);

#endif
