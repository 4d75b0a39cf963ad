/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A virtual image of kernel memory for programs in the interpreter: the struct task_struct of a sample's thread and the
 * structures that it points to, at this kernel's offsets (BTF), so that builtins, translators and scripts can read
 * them. A member's value comes from the sample or from /proc at the time of the read; nothing is stored. Reading an
 * unknown value fails.
 *
 * Ownership: the arena owns everything. Errors: image_read and image_string return -EFAULT.
 */
#ifndef ENGINE_INTERP_IMAGE_H
#define ENGINE_INTERP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/interp/image_past.h"

struct arena;
struct backend_cgroup;
struct sample;
struct types;

struct image;

/* *past may change until the first read. */
struct image *image_open(struct arena *a, struct types *types, const struct image_past *past);
/* The address of the thread's struct task_struct in the image. */
uint64_t image_task(uint64_t tid);
/* Discards what was read from /proc: the next read is for another firing. */
void image_forget(struct image *im);
/* A thread was created, or has executed a program: its control group, if groups are needed, is read while it runs. */
enum image_event { IMAGE_CREATED, IMAGE_EXECUTED };
void image_thread(struct image *im, enum image_event what, uint64_t pid, uint64_t tid);
/* Takes a control group that was not seen before. Returns false if there is none. */
bool image_group_created(struct image *im, struct backend_cgroup *out);
int image_read(struct image *im, const struct sample *s, void *dst, uint32_t n, uint64_t addr);
/* Reads up to a NUL, or as much as fits. */
int image_string(struct image *im, const struct sample *s, char *dst, uint32_t n, uint64_t addr);
/* A read from a structure. part: enum image_start, or a result of image_leads. */
struct image_ask {
	int part;
	uint64_t off, size;	/* bytes */
	const char *member;	/* the script's text from the member's name on: identifies union members; or NULL */
};

/* True if the value can be known (of other threads: might be known). If false, stores in name[n] the path from
 * curthread to the member, or to the first such member of a structure. */
bool image_has(struct image *im, const struct image_ask *ask, char *name, size_t n);
/* The structure to which the pointer at `off` always points, or IMAGE_NOWHERE. */
int image_leads(struct image *im, int part, uint64_t off);

#endif
