/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control groups of a hierarchy, by number, and the containers that they belong to. Groups that have ended keep
 * what was known of them.
 *
 * Ownership: containers_close frees everything (NULL is allowed). Errors: see each function; what is not known is shown
 * as "?".
 */
#ifndef ENGINE_CONTAINERS_CONTAINERS_H
#define ENGINE_CONTAINERS_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct containers;
struct cgroup_hierarchy;

struct containers_want {
	const char *hierarchy;		/* "v2", a controller of version 1, or NULL */
	const char *root;		/* NULL: "": where /proc and the files of runtimes are */
	bool recorded;			/* the groups are those of containers_put, nothing of this machine */
	void (*oom)(void *arg);		/* see arena_init */
	void *oom_arg;
};

/* A group that was found, for -x cgroup. */
struct cgroup_found {
	uint64_t id;
	unsigned level;			/* 0: the root */
};

/* What is known of a group. */
struct containers_group {
	uint64_t id, parent;		/* parent 0: none, or it is unknown */
	const char *path, *container, *pod, *image;
};

/* Always succeeds; without a hierarchy of control groups nothing is known. */
struct containers *containers_open(const struct containers_want *w);
void containers_close(struct containers *c);
/* The hierarchy; NULL after a sentence in reason[n]: there is none. */
const struct cgroup_hierarchy *containers_hierarchy(struct containers *c, char *reason, size_t n);

/* Reads the groups that there are now. */
void containers_scan(struct containers *c);
/* A group was created or renamed: name is the last part of its path. */
void containers_add(struct containers *c, uint64_t id, uint64_t parent, const char *name);
/* Adds a group after the one above it, or replaces what is known of it. */
void containers_put(struct containers *c, const struct containers_group *g);
/* What is known of a group now; the texts live until containers_close. Returns false if nothing is. */
bool containers_get(struct containers *c, uint64_t id, struct containers_group *out);
/* Looks for the names of groups that have none yet; call it periodically. Returns a number that changes when a group
 * was added or a name was found. */
uint64_t containers_refresh(struct containers *c);

/* Appends what stands for the group: kind is VAL_CGROUP, VAL_CONTAINER, ... (ir/value.h). */
void containers_show(struct containers *c, unsigned kind, uint64_t id, struct buf *out);
/* The number of the first group that is shown in the same way. */
uint64_t containers_settle(struct containers *c, unsigned kind, uint64_t id);
/* True if the group is the one that a comparison with this text means: its path; name or ID (the first 12 digits or
 * more) of its container; NAMESPACE/NAME, NAME or ID of the pod; name of the image. */
bool containers_is(struct containers *c, unsigned kind, const char *text, uint64_t id);
/* Calls fn for all groups. */
void containers_each(struct containers *c, void (*fn)(void *arg, uint64_t id), void *arg);
/* Finds the newest group with this path, number or last part of its path; or (container) the group of the container
 * with this name or ID. Returns false if there is none now. */
enum cgroup_search { CGROUP_BY_NAME, CGROUP_OF_CONTAINER };
bool containers_find(struct containers *c, enum cgroup_search how, const char *text, struct cgroup_found *out);

#endif
