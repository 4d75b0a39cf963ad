/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by all fuzz targets. A target is one C file with LLVMFuzzerTestOneInput. It is linked with libFuzzer
 * (./dev fuzz), and with rerun.c, which runs kept inputs.
 *
 * Who owns what: the caller frees the block of fuzz_text. What can fail: a check; it prints a message and aborts.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A condition that must hold for every input. */
#define FUZZ_CHECK(cond, ...) ((cond) ? (void)0 : fuzz_fail(#cond, __VA_ARGS__))
_Noreturn void fuzz_fail(const char *what, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A NUL-terminated copy in a block of exactly that size, so that a sanitizer detects accesses beyond it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Formats diagnostics: errors must have a place in the text (except those with tag `except`) and be few. Shown if
 * FUZZ_SHOW is in the environment. */
void fuzz_diags(const struct diags *d, enum diag_tag except);

/* A file with a few kernel types (those that the prelude uses); it exists as long as the process. */
const char *fuzz_btf(void);
/* The path of share/. */
const char *fuzz_share(void);

#endif
