/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folders of pinned BPF objects in bpffs.
 * Ownership: the caller owns descriptors. Errors: -errno.
 */
#ifndef ENGINE_BPF_PINS_H
#define ENGINE_BPF_PINS_H

#include <stdbool.h>
#include <stddef.h>

/* Stores where bpffs is mounted: at /sys/fs/bpf, or the first one. -ENOENT: nowhere. */
int pins_mount(char *path, size_t n);
/* Opens a folder and locks it: `how` as for flock(2). Returns a descriptor, or -errno; -EWOULDBLOCK: LOCK_NB, and it is
 * locked. */
int pins_lock(const char *path, int how);
/* Pins an object as the file `name` in a folder. */
int pins_put(const char *dir, const char *name, int fd);
/* Returns a descriptor of a pinned object, or -errno. */
int pins_get(const char *dir, const char *name);
/* Calls fn for each name in a folder, in order, until it returns another value than 0, which is then returned. */
int pins_each(const char *dir, int (*fn)(void *arg, const char *name), void *arg);
/* Removes each file whose name is `prefix` and a number. */
int pins_remove(const char *dir, const char *prefix);
/* True if the name is `prefix` and a number. */
bool pins_is(const char *name, const char *prefix);

#endif
