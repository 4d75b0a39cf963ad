/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs need to have the probes that a script declares: a C header with a macro for each probe (dtr -h), and an
 * object file with their semaphores (dtr -G).
 *
 * Ownership: none. Errors: functions return the probe that C cannot have, with the reason in *why, or NULL; *out may
 * have failed.
 */
#ifndef ENGINE_OUTPUT_HEADER_H
#define ENGINE_OUTPUT_HEADER_H

#include "base/buf.h"
#include "lang/syntax/ast.h"

/* from: the name of the script, for a comment. */
const struct declared_probe *header_write(struct buf *out, const struct script *s, const char *from, const char **why);
/* An ELF object of this machine. narrow: for programs of 32 bits. */
void stub_write(struct buf *out, const struct script *s, bool narrow);
/* The name of a probe's semaphore. */
void header_semaphore(struct buf *out, const struct declared_provider *d, const struct declared_probe *p);

#endif
