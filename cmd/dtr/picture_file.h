/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that `dtr flame` writes: its name and its format, and the sentence that describes it.
 *
 * Ownership: the arena, or static. Errors: none.
 */
#ifndef CMD_DTR_PICTURE_FILE_H
#define CMD_DTR_PICTURE_FILE_H

#include "base/arena.h"
#include "engine/dtr.h"

/* The format of -O for a file with this ending, or NULL if it is the ending of none. */
const char *picture_file_format(const char *path);
/* The name of a file of this format, `name` with an ending, or NULL if it is not the format of a picture. */
const char *picture_file_name(struct arena *a, const char *name, const char *format);
/* The endings, for messages. */
const char *picture_file_endings(struct arena *a);
/* After dtr_finish: describes the picture in the file on standard error. */
void picture_file_report(const char *prog, const char *path, const struct dtr_picture *p);

#endif
