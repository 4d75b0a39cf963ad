/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the records of a ring (BPF_MAP_TYPE_RINGBUF). Only a part of a large ring is mapped at a time, because every
 * mapped page counts as memory of this process: it moves with the records.
 *
 * Ownership: the struct owns its mappings until reader_close (idempotent; a zeroed one is closed), not the descriptor.
 * Errors: -errno.
 */
#ifndef ENGINE_BPF_LOAD_READER_H
#define ENGINE_BPF_LOAD_READER_H

#include <stddef.h>
#include <stdint.h>

struct ring_reader {
	int fd;
	uint64_t size;			/* bytes of the ring */
	uint64_t *taken;		/* position up to which records have been taken; shared with the kernel */
	const uint64_t *written;	/* position up to which there are records; a small ring is mapped after it */
	const uint8_t *part;		/* the mapped part of the records, which follow one another twice */
	uint64_t from, len;		/* its offset from the beginning of the ring, its bytes */
};

/* Called for each record, which is valid until it returns. */
typedef void ring_record_fn(void *arg, const void *record, size_t size);

int reader_open(struct ring_reader *r, int fd);
/* Takes all records. Returns 0 or -errno. */
int reader_take(struct ring_reader *r, ring_record_fn *fn, void *arg);
void reader_close(struct ring_reader *r);

#endif
