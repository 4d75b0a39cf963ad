/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of aggregations: -x aggsave writes them, `dtr merge` and `dtr diff` read them.
 * Ownership: the output's arena and the caller's sets. Errors: files and memory; reported in a message.
 */
#ifndef ENGINE_OUTPUT_SAVED_H
#define ENGINE_OUTPUT_SAVED_H

#include "aggregation/set.h"
#include "engine/output/output.h"

/* Before tracing: checks that the file of -x aggsave can be written. Returns 0, or -1 after a message. */
int saved_check(struct output *o);
/* At the end, after all aggregations have been read: writes them. Returns 0, or -1 after a message. */
int saved_write(struct output *o);
/* While tracing: writes tables that were read now. Returns 0 or -errno, without a message. */
int saved_write_now(struct output *o, const struct agg_table *tables);
/* Writes a set to a file, or reads one: the caller closes it. Return 0, or -1 after a message. */
int saved_write_set(struct output *o, const struct agg_set *s, const char *path);
/* The contents of a file: put writes them. It returns 0 or -errno. */
struct saved_bytes {
	int (*put)(void *arg, int fd);
	void *arg;
};
/* Writes a file. Returns 0, or -1 after a message. */
int saved_write_bytes(struct output *o, const struct saved_bytes *b, const char *path);
int saved_read_set(struct output *o, struct arena *a, struct agg_set *s, const char *path);

#endif
