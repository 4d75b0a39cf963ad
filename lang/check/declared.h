/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The arguments of probes: those that the script declares (provider NAME { probe NAME(TYPES) : (TYPES); }), otherwise
 * those that the provider describes.
 * Ownership: the compile arena. Errors: none.
 */
#ifndef LANG_CHECK_DECLARED_H
#define LANG_CHECK_DECLARED_H

#include "lang/compile.h"

/* args[n] of a probe. */
struct declared_arg {
	struct arg_desc type;
	const char *expr;		/* its value in D; NULL: argN, converted to the native type */
};

/* Describes args[] of a probe (c may be NULL: as the provider does) and returns their number, at most DECLARED_MAX. */
enum { DECLARED_MAX = 32 };
unsigned declared_args(struct compiler *c, const struct probe *p, struct declared_arg out[DECLARED_MAX]);

#endif
