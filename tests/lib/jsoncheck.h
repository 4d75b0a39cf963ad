/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A strict parser of JSON (RFC 8259), independent of the writer in base/json.c: syntax, escapes, UTF-8, and unique
 * names in an object.
 * Who owns what: nothing is kept. What can fail: nothing; errors are returned as a text.
 */
#ifndef TESTS_LIB_JSONCHECK_H
#define TESTS_LIB_JSONCHECK_H

#include <stddef.h>

/* NULL: the text is one JSON value. *at is the offset of an error. */
const char *json_check(const char *text, size_t n, size_t *at);
/* NULL: each line is a JSON object whose first member is "type", a string. *line counts from 1. */
const char *json_check_lines(const char *text, size_t n, unsigned *line);

#endif
