/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scripts and IR programs that are kept: those that the generator found, the golden tests' and the IR tests'.
 * What can fail: a file that cannot be read, or does not hold.
 */
#ifndef TESTS_GEN_REPLAY_H
#define TESTS_GEN_REPLAY_H

#include <stdbool.h>

/* All files of a folder whose names end so, one by one. false if one fails, or if there is none. */
bool replay_folder(unsigned number, const char *folder, const char *end);
/* One file, by its name: .d or .ir. */
bool replay_file(const char *path);

#endif
