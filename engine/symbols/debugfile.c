/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/debugfile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shlib.h"

#define DEBUG_ROOT "/usr/lib/debug"

enum { EMBEDDED_MAX = 16 << 20, UNPACKED_MAX = 128 << 20 };
/* Files larger than this are not read to compare checksums. */
#define CRC_MAX (1ull << 32)

static bool open_elf(struct elf *out, const char *path, int *err)
{
	return elf_open_fd(out, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err);
}

static bool same_build(const struct elf *a, const struct elf *b)
{
	uint8_t x[ELF_BUILDID], y[ELF_BUILDID];
	unsigned n = elf_build_id(a, x);

	return n && n == elf_build_id(b, y) && !memcmp(x, y, n);
}

static bool by_build_id(struct elf *out, const struct elf *stripped)
{
	char path[PATH_MAX], *p = path;
	uint8_t id[ELF_BUILDID];
	unsigned n = elf_build_id(stripped, id);

	if (n < 2)
		return false;
	p += sprintf(p, DEBUG_ROOT "/.build-id/%02x/", id[0]);
	for (unsigned i = 1; i < n; i++)
		p += sprintf(p, "%02x", id[i]);
	strcpy(p, ".debug");
	if (!open_elf(out, path, stripped->err))
		return false;
	if (same_build(out, stripped))
		return true;
	elf_close(out);
	return false;
}

/* The checksum in debug links: CRC-32 as in Ethernet. */
static bool crc_of(struct elf *e, uint32_t *crc)
{
	enum { PIECE = 1 << 16 };
	uint32_t table[256], c = UINT32_MAX;
	uint8_t *piece = malloc(PIECE);
	bool ok = piece;

	e->nomem |= !piece;
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	ok &= e->size <= CRC_MAX;
	for (uint64_t off = 0; ok && off < e->size; off += PIECE) {
		size_t n = e->size - off < PIECE ? (size_t)(e->size - off) : PIECE;

		ok = elf_read(e, off, piece, n);
		for (size_t i = 0; ok && i < n; i++)
			c = table[(c ^ piece[i]) & 0xff] ^ c >> 8;
	}
	free(piece);
	*crc = ~c;
	return ok;
}

/* True if `debug` is the debug file of `stripped`. Compares the build IDs if both have one, which is cheap. */
static bool is_debug_file(struct elf *debug, const struct elf *stripped, uint32_t want)
{
	uint8_t id[ELF_BUILDID];
	uint32_t crc;

	if (elf_build_id(debug, id) && elf_build_id(stripped, id))
		return same_build(debug, stripped);
	return crc_of(debug, &crc) && crc == want;
}

static bool by_debuglink(struct elf *out, const struct elf *stripped, const char *path)
{
	static const char *const forms[] = { "%.*s%s", "%.*s.debug/%s", DEBUG_ROOT "%.*s%s" };
	const struct elf_section *s = elf_section_named(stripped, ".gnu_debuglink");
	const char *slash = strrchr(path, '/');
	char name[NAME_MAX + 1], full[PATH_MAX];
	uint32_t crc;

	if (!s || !slash || s->size < 8 || !elf_string(stripped, s->off, name, sizeof name) || !*name ||
	    strchr(name, '/') ||
	    !elf_read(stripped, s->off + ((strlen(name) + 4) & ~(size_t)3), &crc, sizeof crc))
		return false;
	for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		int len = snprintf(full, sizeof full, forms[i], (int)(slash + 1 - path), path, name);
#pragma GCC diagnostic pop

		if (len < 0 || (size_t)len >= sizeof full || !strcmp(full, path) || !open_elf(out, full, stripped->err))
			continue;
		if (is_debug_file(out, stripped, crc))
			return true;
		elf_close(out);
	}
	return false;
}

bool debugfile_find(struct elf *out, const struct elf *stripped, const char *path)
{
	*out = (struct elf){ .fd = -1 };
	return by_build_id(out, stripped) || by_debuglink(out, stripped, path);
}

/* ---- .gnu_debugdata ---- */
typedef int xz_decode(uint64_t *memlimit, uint32_t flags, const void *allocator, const uint8_t *in, size_t *in_pos,
		      size_t in_size, uint8_t *out, size_t *out_pos, size_t out_size);

/* The unpacked size is unknown, so the buffer is doubled until it is large enough. */
static uint8_t *decode_growing(xz_decode *decode, const uint8_t *in, size_t n, size_t *size)
{
	enum { XZ_OK = 0, XZ_BUF_ERROR = 10 };
	size_t room = 8 * n + 4096;

	for (; room <= UNPACKED_MAX; room *= 2) {
		uint64_t limit = UNPACKED_MAX;
		size_t in_pos = 0;
		uint8_t *out = malloc(room);
		int r;

		if (!out)
			return NULL;
		*size = 0;
		r = decode(&limit, 0, NULL, in, &in_pos, n, out, size, room);
		if (r == XZ_OK)
			return out;
		free(out);
		if (r != XZ_BUF_ERROR)
			return NULL;
	}
	return NULL;
}

static uint8_t *xz_unpack(const uint8_t *in, size_t n, size_t *size)
{
	xz_decode *decode;
	const struct shlib_symbol want = { "lzma_stream_buffer_decode", (void **)&decode };
	const char *lacks;
	void *lib = shlib_open("liblzma.so.5", &want, 1, &lacks);
	uint8_t *out;

	if (!lib)
		return NULL;
	out = decode_growing(decode, in, n, size);
	dlclose(lib);
	return out;
}

bool debugfile_embedded(struct elf *out, const struct elf *stripped)
{
	const struct elf_section *s = elf_section_named(stripped, ".gnu_debugdata");
	uint8_t *packed, *mem = NULL;
	size_t size = 0;

	*out = (struct elf){ .fd = -1 };
	if (!s || s->size > EMBEDDED_MAX)
		return false;
	packed = malloc((size_t)s->size + 1);
	out->nomem = !packed;
	if (packed && elf_read(stripped, s->off, packed, (size_t)s->size))
		mem = xz_unpack(packed, (size_t)s->size, &size);
	free(packed);
	return mem && elf_open_own(out, mem, size);
}
