/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the maps of an image. Ownership: the image (bpf_unload). Errors: maps_make returns -1 after D_BPF. */
#ifndef ENGINE_BPF_MAPS_H
#define ENGINE_BPF_MAPS_H

struct bpf_loaded;
struct diags;

int maps_make(struct bpf_loaded *l, struct diags *d);

#endif
