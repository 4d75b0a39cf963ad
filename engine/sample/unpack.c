/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/unpack.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "base/shlib.h"

enum { PIECE = 1 << 16 };

/* zstd's types, from its stable interface. */
struct zstd_in {
	const void *src;
	size_t size, pos;
};

struct zstd_out {
	void *dst;
	size_t size, pos;
};

struct unpack {
	void *lib, *stream;
	void *(*create)(void);
	size_t (*release)(void *stream);
	size_t (*decompress)(void *stream, struct zstd_out *out, struct zstd_in *in);
	unsigned (*is_error)(size_t code);
	char piece[PIECE];
};

struct unpack *unpack_open(void)
{
	struct unpack *u = calloc(1, sizeof *u);
	const char *lacks;

	if (!u)
		return NULL;
	u->lib = shlib_open("libzstd.so.1", (const struct shlib_symbol[]){
		{ "ZSTD_createDStream", (void **)&u->create }, { "ZSTD_freeDStream", (void **)&u->release },
		{ "ZSTD_decompressStream", (void **)&u->decompress }, { "ZSTD_isError", (void **)&u->is_error },
	}, 4, &lacks);
	if (u->lib)
		u->stream = u->create();
	if (u->stream)
		return u;
	unpack_close(u);
	return NULL;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->stream)
		u->release(u->stream);
	if (u->lib)
		dlclose(u->lib);
	free(u);
}

int unpack_put(struct unpack *u, const void *p, size_t n, struct buf *out, size_t most)
{
	struct zstd_in in = { p, n, 0 };
	struct zstd_out to;

	do {
		to = (struct zstd_out){ u->piece, PIECE, 0 };
		if (u->is_error(u->decompress(u->stream, &to, &in)))
			return -EBADMSG;
		if (to.pos > most || out->len > most - to.pos)
			return -EFBIG;
		buf_put(out, u->piece, to.pos);
	} while (in.pos < in.size || to.pos == to.size);
	return out->failed ? -ENOMEM : 0;
}
