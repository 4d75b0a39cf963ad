/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds interpreters in files.
 * Ownership: nothing is kept. Errors: none.
 */
#ifndef ENGINE_RUNTIMES_PYTHON_FIND_H
#define ENGINE_RUNTIMES_PYTHON_FIND_H

#include "engine/symbols/elf.h"

/* What a file that contains CPython exports, as link addresses. */
struct python_file {
	uint64_t runtime;		/* _PyRuntime */
	uint64_t version;		/* Py_Version; 0: 3.10 or earlier */
};

/* Searches the dynamic symbols of a file. Returns false if they are not those of CPython 3.7 or
 * later. */
bool python_find(const struct elf *e, struct python_file *out);

#endif
