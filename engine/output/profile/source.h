/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The source files of a profile. Their paths come from the debugging information of a program that may be anybody's, so
 * a file is only read if it is a regular one that everybody may read (dtr may run as root, and the page be passed on),
 * or if it is in a directory that the user has named (-x sourcedir).
 */
#ifndef ENGINE_OUTPUT_PROFILE_SOURCE_H
#define ENGINE_OUTPUT_PROFILE_SOURCE_H

#include "base/buf.h"
#include "engine/run/options.h"

/* Appends the file: one in a directory of `dirs` whose path below it is the end of `path`, the longest end first; else
 * that at `path` itself. Returns NULL, or a sentence that says why it was not read. */
const char *source_read(struct buf *out, const struct opt_list *dirs, const char *path);

#endif
