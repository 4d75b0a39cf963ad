/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists probes as text. Ownership: everything is appended to the caller's buffers. Errors: no memory (buf.failed). */
#ifndef ENGINE_OUTPUT_LIST_H
#define ENGINE_OUTPUT_LIST_H

#include "engine/output/output.h"
#include "lang/check/stability.h"

/* Functions of struct printer: the header of -l, and a probe. */
void list_text_head(struct output *o);
void list_text_probe(struct output *o, const struct probe *p, bool verbose);
/* Appends attributes, three indented lines under a title. */
void list_attr(struct buf *out, const char *title, struct attr a);

#endif
