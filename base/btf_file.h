/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bytes of a BTF file. Private to base/btf_data.c.
 *
 * Ownership: btf_file_close frees what btf_file_open has made. What the other functions return is valid until then and
 * does not change, even if the file does.
 */
#ifndef BASE_BTF_FILE_H
#define BASE_BTF_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Where a file is in memory. */
struct btf_file {
	uint8_t *bytes;
	size_t size;
	enum { BTF_FILE_READ, BTF_FILE_MAPPED, BTF_FILE_PAGED, BTF_FILE_STATIC } how;
	uint64_t *have;			/* BTF_FILE_PAGED: a bit for each page that has been read */
	int fd;				/* BTF_FILE_PAGED */
};

/* Opens a file of any kind. Returns 0 or -errno: -EFBIG for more than 1 GB. Then nothing is open. */
int btf_file_open(struct btf_file *f, const char *path);
/* Takes the bytes of a file that is part of the program. */
void btf_file_static(struct btf_file *f, const uint8_t *bytes, size_t n);
/* Idempotent. */
void btf_file_close(struct btf_file *f);
/* Reads the pages with the bytes [at, at + n), which must be in the file. A page that cannot be read has zeros. */
void btf_file_read(struct btf_file *f, size_t at, size_t n);
/* The string at an offset below `end`, "" if it does not end there. */
const char *btf_file_string(struct btf_file *f, size_t at, size_t end);

/* The bytes [at, at + n), which must be in the file. */
static inline const uint8_t *btf_file_at(struct btf_file *f, size_t at, size_t n)
{
	if (f->how == BTF_FILE_PAGED)
		btf_file_read(f, at, n);
	return f->bytes + at;
}

#endif
