/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the maps of an image. Ownership: the image (bpf_unload). Errors: maps_make returns -1 after D_BPF. */
#ifndef ENGINE_BPF_LOAD_MAPS_H
#define ENGINE_BPF_LOAD_MAPS_H

struct bpf_loaded;
struct diags;

/* Creates a chunk of memory for unwinding tables (rt/unwind.h). Returns a descriptor or -errno. */
int chunk_create(void);
int maps_make(struct bpf_loaded *l, struct diags *d);

#endif
