/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/pipe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "engine/run/bytes.h"
#include "engine/run/format.h"
#include "engine/sample/perf_format.h"

/* The bytes received so far. */
struct stream {
	int fd;
	uint64_t have;
	uint64_t at;		/* offset of the next record header */
};

/* Reads n bytes at an offset. Returns false if they have not been received yet. */
static bool stream_head(const struct stream *s, uint64_t off, uint8_t *out, size_t n)
{
	return off <= s->have && n <= s->have - off && pread(s->fd, out, n, (off_t)off) == (ssize_t)n;
}

/*
 * Each of the following functions returns how many bytes are needed to know whether more follow. If that is not more
 * than have been received, the file is complete or malformed.
 */
static uint64_t blocks_needed(struct stream *s)
{
	uint8_t h[RECORD_BLOCK_HEAD];

	if (s->at < RECORD_FILE_HEAD)
		s->at = RECORD_FILE_HEAD;
	while (stream_head(s, s->at, h, sizeof h)) {
		if (get_le(h, 4) != RECORD_BLOCK_MAGIC || get_le(h + 12, 4) > RECORD_BLOCK_MAX)
			return 0;
		s->at += sizeof h + get_le(h + 12, 4);
		if (h[4] == RECORD_B_END)
			return s->at;
	}
	return s->at + sizeof h;
}

/* In perf's pipe format, each record has its length; some also have the length of the data that follow them. */
static uint64_t perf_records_needed(struct stream *s)
{
	uint8_t h[16];

	while (stream_head(s, s->at, h, PERF_RECORD_HEAD)) {
		uint64_t type = get_le(h, 4), size = get_le(h + 6, 2), more = 0;

		if (size < PERF_RECORD_HEAD)
			return 0;
		if (type == PERF_TYPE_AUXTRACE || type == PERF_TYPE_TRACING) {
			if (!stream_head(s, s->at, h, sizeof h))
				return s->at + sizeof h;
			more = type == PERF_TYPE_AUXTRACE ? get_le(h + 8, 8) : (get_le(h + 8, 4) + 7) & ~7ull;
		}
		if (more > INT64_MAX - s->at)
			return 0;
		s->at += size + more;
	}
	return s->at + PERF_RECORD_HEAD;
}

/* Returns the end of the section that 16 bytes describe, or `before` if that is later; 0 if the section is invalid. */
static uint64_t part_end(const uint8_t *h, uint64_t before)
{
	uint64_t off = get_le(h, 8), size = get_le(h + 8, 8);

	if (off > INT64_MAX || size > INT64_MAX - off || !before)
		return 0;
	return off + size > before ? off + size : before;
}

/* The header describes the sections of events and records; the list of features follows the records. */
static uint64_t perf_parts_needed(const struct stream *s)
{
	uint8_t h[PERF_HEAD], part[PERF_PART];
	uint64_t most = PERF_HEAD, at;

	if (!stream_head(s, 0, h, sizeof h))
		return sizeof h;
	most = part_end(h + PERF_DATA_AT, part_end(h + PERF_ATTRS_AT, most));
	at = get_le(h + PERF_DATA_AT, 8) + get_le(h + PERF_DATA_AT + 8, 8);
	for (unsigned i = 0; most && i < PERF_FILE_FEATURES; i++) {
		if (!(h[PERF_FEATURES_AT + i / 8] >> i % 8 & 1))
			continue;
		if (!stream_head(s, at, part, sizeof part))
			return most > at + sizeof part ? most : at + sizeof part;
		most = part_end(part, most);
		at += sizeof part;
	}
	return most;
}

/* If the records extend to the end (a pipe, or perf was interrupted), returns the offset of the first one; else 0. */
static uint64_t perf_open_end(const struct stream *s)
{
	uint8_t h[PERF_HEAD];

	if (!stream_head(s, 0, h, PERF_PIPE_HEAD) || get_le(h + 8, 8) == PERF_PIPE_HEAD)
		return PERF_PIPE_HEAD;
	return stream_head(s, 0, h, sizeof h) && !get_le(h + PERF_DATA_AT + 8, 8) ? get_le(h + PERF_DATA_AT, 8) : 0;
}

static uint64_t perf_needed(struct stream *s)
{
	uint64_t first = perf_open_end(s);

	if (first && s->at < first)
		s->at = first;
	return first ? perf_records_needed(s) : perf_parts_needed(s);
}

uint64_t record_perf_size(int fd, uint64_t size)
{
	struct stream s = { .fd = fd, .have = size };
	uint64_t size_needed = perf_open_end(&s) ? size : perf_parts_needed(&s);

	return size_needed < size ? size_needed : size;
}

/* For an unknown format, only the first bytes are copied; the reader then reports the error. */
static uint64_t stream_needed(struct stream *s)
{
	static const struct { const char *magic; uint64_t (*needed)(struct stream *s); } kinds[] = {
		{ RECORD_MAGIC, blocks_needed }, { "PERFILE2", perf_needed },
	};
	uint8_t magic[RECORD_MAGIC_BYTES];

	if (!stream_head(s, 0, magic, sizeof magic))
		return sizeof magic;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!memcmp(magic, kinds[i].magic, sizeof magic))
			return kinds[i].needed(s);
	return 0;
}

static int stream_read(struct stream *s, int from, size_t size)
{
	char *piece = malloc(size);
	int err = piece ? 0 : -ENOMEM;

	while (!err && stream_needed(s) > s->have) {
		ssize_t n = read(from, piece, size);

		if (n < 0 && errno != EINTR)
			err = -errno;
		if (!n)
			break;
		if (n > 0)
			err = buf_write_fd(s->fd, piece, (size_t)n);
		s->have += n > 0 ? (size_t)n : 0;
	}
	free(piece);
	return err;
}

int record_pipe_copy(int fd, size_t piece)
{
	struct stream s = { .fd = memfd_create("recording", MFD_CLOEXEC) };
	int err = s.fd < 0 ? -errno : stream_read(&s, fd, piece);

	if (err && s.fd >= 0)
		close(s.fd);
	return err ? err : s.fd;
}
