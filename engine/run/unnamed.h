/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the samples that are shown in user code without a name, by their cause, and says what would give them names: a
 * program that generates code can describe it for profilers, a stripped file has debugging symbols elsewhere.
 *
 * Ownership: unnamed_free frees everything (idempotent). Errors: if memory runs out, causes are not stored.
 */
#ifndef ENGINE_RUN_UNNAMED_H
#define ENGINE_RUN_UNNAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { UNNAMED_CAUSES = 64 };

struct unnamed_cause {
	char *path;			/* of the program that generates code, or of the stripped file */
	bool generated;
	uint64_t samples;
};

struct unnamed {
	struct unnamed_cause cause[UNNAMED_CAUSES];
	unsigned ncauses;
	uint64_t samples;		/* shown in user code */
	uint64_t without;		/* of these, in code without a name */
};

/* The number of a cause, from 1 to UNNAMED_CAUSES, until unnamed_hint; 0: not known. path: see struct unnamed_cause;
 * NULL: not known. */
unsigned unnamed_cause(struct unnamed *u, const char *path, bool generated);
/* Counts n samples in code without a name. */
void unnamed_add(struct unnamed *u, unsigned cause, uint64_t n);
/* Appends what would help; nothing for fewer than one sample in twenty, or without a known cause. requested: debugging
 * symbols that were missing were requested from debuginfod. */
void unnamed_hint(struct unnamed *u, bool requested, struct buf *out);
/* What makes a program describe the code that it generates, as an instruction ("start it with ..."). path: the
 * program's. NULL: unknown. */
const char *unnamed_remedy(const char *path);
void unnamed_free(struct unnamed *u);

#endif
