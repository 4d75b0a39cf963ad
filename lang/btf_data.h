/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file of BTF (Documentation/bpf/btf.rst of the kernel): its types by ID and by name. Opening it costs one pass over
 * the types; nothing is copied where the kernel lets its own file be mapped (Linux 6.16).
 *
 * Ownership: btf_data_close frees what btf_data_open has made; what others return belongs to it. `base` must outlive it.
 * Errors: btf_data_open returns -errno, -EINVAL for a file that is not BTF of this machine's byte order. What is inside
 * a type is not checked: IDs and offsets of names in it can be anything.
 */
#ifndef LANG_BTF_DATA_H
#define LANG_BTF_DATA_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_slot {
	uint32_t hash, id;		/* id 0: free */
};

struct btf_data {
	struct btf_data *base;	/* the kernel's, for a module; or NULL */
	uint8_t *file;
	size_t size;
	bool mapped;
	const uint8_t *types;
	const char *strings;
	uint32_t types_len, strings_len;
	uint32_t off;			/* of the first type that has not been read */
	uint32_t first, end;		/* IDs of its own types that have been read: first to end - 1 */
	uint32_t *at, room;		/* where they begin in `types`, by ID - first; room for so many */
	struct btf_slot *slots;		/* types by hash of name space and name */
	uint32_t nslots;		/* a power of two */
	uint32_t named;			/* in slots */
};

/* Opens a file. base: of the kernel, for a module's. */
int btf_data_open(struct btf_data *d, const char *path, struct btf_data *base);
/* Idempotent. */
void btf_data_close(struct btf_data *d);
/* The type, or NULL. ID 0 is void: BTF_KIND_UNKN. */
const struct btf_type *btf_data_type(struct btf_data *d, uint32_t id);
/* A name, "" if the offset is not valid. */
const char *btf_data_name(const struct btf_data *d, uint32_t off);

/* Name spaces of C: struct x, union x, enum x, plain names of types; and variables and functions. */
enum btf_space { BTF_NAMELESS, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_PLAIN, BTF_VALUE };
/* The ID of the first of its own types that has this name, or 0. `d` gets an index at the first call. -ENOMEM: found nothing. */
uint32_t btf_data_find(struct btf_data *d, enum btf_space space, const char *name);

#endif
