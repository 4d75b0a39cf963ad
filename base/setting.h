/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values of options. Nothing is allocated. Errors: false. */
#ifndef BASE_SETTING_H
#define BASE_SETTING_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits at the start of s; *end is after them. False: there are none, or the number is too large. */
bool setting_digits(const char *s, uint64_t *v, const char **end);
/* A number, optionally with k, m, g or t. */
bool setting_size(const char *s, uint64_t *v);
/* on or off, and what else DTrace accepts for these: *v is 1 or 0. */
bool setting_bool(const char *s, uint64_t *v);

#endif
