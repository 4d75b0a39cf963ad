/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The format of saved aggregations (docs/aggregations.md): constants that save.c and load.c share.
 * Private to aggregation/. Plain data. Errors: none.
 */
#ifndef AGGREGATION_FILE_H
#define AGGREGATION_FILE_H

#define FILE_MAGIC "\211DTRAGG\n"

enum {
	FILE_VERSION = 1,
	FILE_VERSION_HOST = 2,			/* with a block "host" */
	FILE_MAGIC_LEN = 8,
	FILE_HEADER = FILE_MAGIC_LEN + 8,	/* version, checksum */
	FILE_BLOCK = 8,				/* before a block's bytes: kind, length; a checksum follows them */
};

/* Kinds of blocks, in the order in which they come; "aggr" for each aggregation. */
#define FILE_PROGRAM "prog"
#define FILE_HOST "host"
#define FILE_TEXTS "text"
#define FILE_STACKS "stak"
#define FILE_AGG "aggr"
#define FILE_END "done"

#endif
