/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads JSON (RFC 8259) in place: a value is a part of the text; its members are found by a pass over it. The text may
 * be anything: what is not JSON has no members.
 *
 * Ownership: the caller's text, which values point into. Errors: functions return false if there is no such value.
 */
#ifndef BASE_JSONREAD_H
#define BASE_JSONREAD_H

#include <stdbool.h>
#include <stddef.h>

/* A value, from its first byte; `end`: that of the text. at == NULL: none. */
struct json_part {
	const char *at, *end;
};

/* The value of a text of n bytes. */
struct json_part json_read(const char *text, size_t n);
/* The member `name` of an object. */
bool json_read_member(struct json_part object, const char *name, struct json_part *out);
/* Iterates over an array: `*at` is the array itself at first, then what the last call left there. */
bool json_read_element(struct json_part *at, struct json_part *out);
/* Stores a string in out[n], with its escapes resolved, cut to fit, and a NUL. False: it is no string. */
bool json_read_string(struct json_part v, char *out, size_t n);

#endif
