/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kept scripts and IR programs: those that the generator found, those of the golden tests and of the IR tests.
 * What can fail: a file that cannot be read, or whose test fails.
 */
#ifndef TESTS_GEN_REPLAY_H
#define TESTS_GEN_REPLAY_H

#include <stdbool.h>

/* Runs all files of a folder with this ending. false if one fails, or if there are none. */
bool replay_folder(unsigned number, const char *folder, const char *end);
/* Runs all cases of a table (tests/lib/cases.h). false if one fails, or if there are none. */
bool replay_table(unsigned number, const char *path);
/* Runs one file, by its ending: .d or .ir. */
bool replay_file(const char *path);

#endif
