/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains why the kernel refused: no privilege, a policy that overrides privilege, or a kernel that is too old.
 * Ownership: text goes into the caller's buffer out[n]. Errors: none.
 */
#ifndef ENGINE_HOST_REFUSAL_H
#define ENGINE_HOST_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

/* err: -errno of bpf(); what: the attempt ("creating map dtr_data", "loading a program"). */
void refusal_bpf(char *out, size_t n, int err, const char *what);

/* Why symbols of the kernel or of a file could not be read. err: errno (for the kernel's symbols as in struct
 * symbol_lacks). */
void refusal_kallsyms(char *out, size_t n, int err);
void refusal_file(char *out, size_t n, int err, const char *path);

/* True if the system shows the names and addresses of the kernel to this process. */
bool kernel_names_permitted(void);

/* What keeps programs from reading the kernel's memory, as the beginning of a sentence: "kernel lockdown (mode
 * confidentiality) forbids". */
void refusal_read_kernel(char *out, size_t n);

/* Why the kernel does not let programs write to user memory. */
void refusal_write_user(char *out, size_t n);

/* The text of an errno, like strerror; for EMFILE it names the limit. Valid until the next call of refusal_errno or
 * strerror. */
const char *refusal_errno(int err);

/* Returns true if the kernel would refuse every BPF program of this process, and stores the reason in out. */
bool bpf_refused(char *out, size_t n);

#endif
