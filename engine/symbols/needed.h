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

/* Where a process searches. Paths are those that are valid in its root directory. */
struct needed_place {
	const char *root;		/* path of its root directory; "": this process's */
	const char *directory;		/* its working directory, to which other paths are relative */
	const char *library_path;	/* its LD_LIBRARY_PATH; may be NULL */
};

/* Calls fn for each library of a program, with its absolute path. */
void needed_each(const struct needed_place *place, const char *program, void (*fn)(void *arg, const char *path),
		 void *arg);

#endif
