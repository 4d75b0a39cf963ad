/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why the kernel said no: no privilege, a policy that forbids it in spite of privilege, or a kernel too old.
 * Text goes into the caller's buffer; nothing can fail.
 */
#ifndef ENGINE_HOST_WHY_H
#define ENGINE_HOST_WHY_H

#include <stdbool.h>
#include <stddef.h>

/* err: -errno of bpf() while doing `what` ("creating map dtr_data", "loading a program"). */
void why_bpf(char *out, size_t n, int err, const char *what);

/* Why names of addresses could not be read. err: errno of the kernel's list (as struct symbol_lacks has it), of a file. */
void why_kallsyms(char *out, size_t n, int err);
void why_file(char *out, size_t n, int err, const char *path);

/* Why the kernel does not let programs write to the memory of processes. */
void why_write_user(char *out, size_t n);

/* Would the kernel refuse every program of this process? Why goes into out. */
bool bpf_refused(char *out, size_t n);

#endif
