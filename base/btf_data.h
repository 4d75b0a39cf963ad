/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file of BTF (Documentation/bpf/btf.rst of the kernel): its types by ID and by name. A file of the kernel is mapped
 * (Linux 6.16); of other files, only the pages that are needed are read. Types have no index in the file: finding one
 * walks over those before it, and every 64th one is remembered.
 *
 * The file may be hostile. Memory outside the file is never accessed, whatever it contains; but IDs, offsets of names
 * and sizes in the types that are returned can be anything. The reader ends at the first type that is broken.
 *
 * Ownership: btf_data_close frees what btf_data_open has made, and all that the other functions return. `base` must
 * outlive the module's BTF.
 */
#ifndef BASE_BTF_DATA_H
#define BASE_BTF_DATA_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/btf_file.h"

/* Name spaces of C: struct x, union x, enum x, plain names of types; and variables and functions. */
enum btf_space { BTF_NAMELESS, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_PLAIN, BTF_VALUE };

/* Types by name, made when searching without it has become expensive. */
struct btf_index {
	struct btf_slot *slots;		/* NULL: not made yet */
	uint32_t nslots;		/* a power of two */
	uint64_t looked;		/* types that searches have visited */
};

struct btf_data {
	struct btf_data *base;		/* the kernel's, for a module; or NULL */
	struct btf_file file;
	size_t types, strings;		/* offsets of the sections in the file, and their bytes */
	uint32_t types_len, strings_len;
	uint32_t first, end;		/* IDs of its own types that have been visited: first to end - 1 */
	uint32_t off;			/* of type `end` in the section */
	bool broken;			/* a type is invalid: there are no more */
	uint32_t *marks, room;		/* offset of every 64th type; room for so many */
	struct btf_index index[2];	/* of types; of variables and functions */
};

/* Opens a file. base: of the kernel, for a module's. Returns 0 or -errno: -EINVAL for a file that is not BTF of this
 * machine's byte order, -EFBIG for more than 1 GB. Then nothing is open. */
int btf_data_open(struct btf_data *d, const char *path, struct btf_data *base);
/* The same for a description that is part of the program. */
int btf_data_static(struct btf_data *d, const uint8_t *bytes, size_t n);
/* Idempotent. */
void btf_data_close(struct btf_data *d);
/* The type with all that its kind and its vlen add, or NULL: no such ID, or no memory. ID 0 is void: BTF_KIND_UNKN. */
const struct btf_type *btf_data_type(struct btf_data *d, uint32_t id);
/* The name at an offset, "" if the offset is not valid. */
const char *btf_data_name(struct btf_data *d, uint32_t off);
/* The ID of the first of its own types that has this name; 0: there is none, or no memory. */
uint32_t btf_data_find(struct btf_data *d, enum btf_space space, const char *name);

/* A position among its own types. */
struct btf_cursor {
	uint32_t id, off;		/* of the type that btf_data_next has returned; id 0: before the first */
};
/* The next type, like btf_data_type; NULL after the last one. */
const struct btf_type *btf_data_next(struct btf_data *d, struct btf_cursor *c);

#endif
