/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of elfutils' libdw that read debugging information, loaded with dlopen on demand, and the client of
 * debuginfod.
 *
 * Ownership: dwinfo_close closes the library (idempotent). Errors: dwinfo_open returns false with the reason in
 * reason[n].
 */
#ifndef ENGINE_SYMBOLS_DWINFO_H
#define ENGINE_SYMBOLS_DWINFO_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name in libdw without "dwarf_" */
#define DWINFO_FUNCTIONS(X) \
	X(begin_elf) X(end) X(setalt) X(nextcu) X(offdie) X(dieoffset) X(tag) X(child) X(siblingof) X(ranges) \
	X(haspc) X(attr_integrate) X(formstring) X(formudata) X(diename) X(getsrc_die) X(lineno) X(linesrc) \
	X(getsrcfiles) X(filesrc) X(hasattr) X(formref_die) X(formaddr) X(getlocation) X(getlocation_attr) \
	X(getlocation_addr) X(formblock) X(formflag) X(getsrclines) X(onesrcline) X(lineaddr) \
	X(linebeginstatement) X(lineendsequence) X(srclang)

struct dwinfo {
	void *lib;
#define X(name) __typeof__(&dwarf_##name) name;
	DWINFO_FUNCTIONS(X)
#undef X
};

bool dwinfo_open(struct dwinfo *d, char *reason, size_t n);
void dwinfo_close(struct dwinfo *d);

/* Requests a debug file by its build ID. Returns a descriptor, which the caller closes, or -1; then `reason` is set if
 * a library is missing. Returns -1 at once if DEBUGINFOD_URLS is not set. */
int dwinfo_request(const uint8_t *id, unsigned idlen, char *reason, size_t n);

#endif
