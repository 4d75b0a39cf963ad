/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr diff of two recordings. Ownership: nothing is kept. Errors: reported in a message. */
#ifndef ENGINE_SESSION_COMPARE_H
#define ENGINE_SESSION_COMPARE_H

#include "engine/session/session.h"

/* Compares two recordings and prints the differences in the format of -O (text, json, html). all: also those that are
 * not significant. Returns 0, or -1 after a message. */
int compare_recordings(struct dtr *t, const char *const files[2], bool all);

#endif
