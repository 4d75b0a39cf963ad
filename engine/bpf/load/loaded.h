/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A loaded image (load.h) and its memory (maps.c).
 * Ownership: see load.h. Errors: none.
 */
#ifndef ENGINE_BPF_LOAD_LOADED_H
#define ENGINE_BPF_LOAD_LOADED_H

#include <stddef.h>
#include <stdint.h>

struct bpf_func_info;
struct bpf_image;
struct bpf_words;

/* BTF of subprograms for the kernel (subs.h). */
struct bpf_subs {
	int fd;				/* BTF descriptor; -1 = not needed */
	struct bpf_func_info **info;	/* by code */
	struct bpf_func_info **walker;	/* by walker */
};

struct bpf_loaded {
	const struct bpf_image *im;
	int *mapfd;		/* by map, -1 = none */
	int *progfd;		/* by code */
	uint32_t ring_size;	/* bytes of the smallest ring; 0 = no rings */
	int *ringfd;		/* rings in the array of rings, by CPU; -1 = none */
	struct bpf_subs btf;
	uint8_t *data;		/* the data map, mapped into this process */
	size_t data_len;
};

struct bpf_words *bpf_words(const struct bpf_loaded *l);
/* A GLOBAL or CONST object in the mapped data map, or NULL. */
void *bpf_object(const struct bpf_loaded *l, uint32_t obj);
/* The value on one CPU of an aggregation without keys and generations, in the mapped data map. */
void *bpf_cell(const struct bpf_loaded *l, uint32_t obj, unsigned cpu);
/* The descriptor of a CPU's ring, or -1. */
int bpf_ring(const struct bpf_loaded *l, int cpu);
/* Creates the ring of a CPU that has none. Returns 0 or -errno. */
int bpf_ring_add(struct bpf_loaded *l, int cpu);

#endif
