/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every fuzz target shares. A target is one C file with LLVMFuzzerTestOneInput: it is linked with libFuzzer
 * (./dev fuzz), and with rerun.c, which runs inputs that are kept.
 *
 * Who owns what: fuzz_text gives a block that the caller frees. What can fail: a check; it says so and aborts.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is. */
#define FUZZ_CHECK(cond, ...) ((cond) ? (void)0 : fuzz_fail(#cond, __VA_ARGS__))
_Noreturn void fuzz_fail(const char *what, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A copy with a NUL behind it, in a block of exactly that size, so that a sanitizer sees one byte too many. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Diagnostics are printed; errors must have a place in the text (but for those with tag `except`), and be few.
 * With FUZZ_SHOW in the environment they are shown. */
void fuzz_diags(const struct diags *d, enum diag_tag except);

/* A file with a few kernel types (those that the prelude walks through), which lives as long as the process. */
const char *fuzz_btf(void);
/* Where share/ lies. */
const char *fuzz_share(void);

#endif
