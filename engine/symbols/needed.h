/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The libraries that the dynamic loader will load with a program, before it has run: the names in DT_NEEDED of the
 * program and of these libraries, searched for in LD_LIBRARY_PATH, DT_RPATH and DT_RUNPATH, /etc/ld.so.cache (glibc's
 * format 1.1) and the default directories, as ld.so(8) says. This is a guess: the program may load others.
 *
 * Ownership: none. Errors: what cannot be read or found is left out.
 */
#ifndef ENGINE_SYMBOLS_NEEDED_H
#define ENGINE_SYMBOLS_NEEDED_H

/* Calls fn for each library. path: of the program. library_path: LD_LIBRARY_PATH; may be NULL. */
void needed_each(const char *path, const char *library_path, void (*fn)(void *arg, const char *path), void *arg);

#endif
