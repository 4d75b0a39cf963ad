/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the file of a command as execvp() would.
 *
 * Ownership: the path is copied to the caller's buffer. Errors: -ENOENT, -EACCES and others of access(2),
 * -ENAMETOOLONG.
 */
#ifndef CMD_DTR_PROGRAM_H
#define CMD_DTR_PROGRAM_H

#include <stddef.h>

/* Stores the first executable file of this name in PATH, or the name itself if it contains a slash. Returns 0 or
 * -errno. */
int program_find(const char *name, char *path, size_t n);

#endif
