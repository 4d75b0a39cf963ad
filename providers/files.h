/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files with probes of all processes, also of those that start later. Their places belong to files instead of
 * processes: a link without a filter serves every process that maps the file. Files that were found before the program
 * runs stay. Others are removed when there are too many and no process has them mapped; they are found again when they
 * are mapped again.
 *
 * Ownership: struct traced_files owns files and descriptors until files_detach; memory that stays is that of the arena
 * of the probe set.
 * Errors: see each function.
 */
#ifndef PROVIDERS_FILES_H
#define PROVIDERS_FILES_H

#include <sys/types.h>

#include "providers/closer.h"
#include "providers/program.h"
#include "providers/provider.h"
#include "providers/uprobe.h"

/* Places of a file that are attached in the same way; what each group means is the provider's. */
enum { FILE_GROUPS = 3 };

struct traced_file {
	dev_t dev;
	ino_t ino;
	uint64_t size;
	int64_t changed;		/* ns since 1970 */
	int fd;				/* while it is examined, or: */
	bool kept;			/* until file_free: it may be attached again */
	bool first;			/* found before the program runs */
	bool mapped;			/* by a process, at the last sweep */
	unsigned turn;			/* the last description for which it was searched */
	VEC(struct uprobe_site) sites[FILE_GROUPS];
	struct arena own;		/* memory of `sites`, if it was found later */
	struct links uprobes;
};

struct traced_files {
	struct probe_set *set;
	VEC(struct traced_file *) list;
	unsigned turn;			/* number of descriptions that were searched */
	uint64_t swept;			/* time of the last sweep */
	struct closer closer;		/* of the files that were removed then, which are: */
	VEC(struct traced_file *) removed;
	/* Called when the file's places are no longer in use. */
	void (*release)(struct traced_files *s, const struct traced_file *f);
	/* True if files that no process has mapped should be removed. */
	bool (*crowded)(const struct traced_files *s);
	size_t lost;			/* probes and places of the file that is examined for which there was no room */
	bool reported;			/* that there was none */
};

/* A new file while it is examined. */
struct file_visit {
	struct probe_follow *follow;
	struct traced_file *file;
	const struct program_module *module;
	struct programs *code;		/* with which it is examined, */
	struct arena *arena;		/* and memory until then */
};

enum { FILES_CROWD = 512 };	/* files that were found while the program runs; with more, others are removed */

/* True if the pattern ends with a star. */
bool files_star(const char *pattern);
/* True if it ends with a star, and matches each name that consists of this one and a process ID. */
bool files_means_all(const char *pattern, const char *provider);
/* Before the program runs: the file, if this description (`turn`) has not been compared with it yet; else NULL, also if
 * it cannot be examined. */
struct traced_file *files_first(struct traced_files *s, const struct program_module *m);
/* True if the group has a place with this offset and these lower 32 bits of the cookie. */
bool file_has_site(const struct traced_file *f, unsigned group, uint64_t off, uint32_t number);
void file_add_site(const struct traced_files *s, struct traced_file *f, unsigned group,
		   const struct uprobe_site *site);
/* Removes the places of the group that have these lower 32 bits of the cookie. Returns their number. */
size_t file_remove_sites(struct traced_file *f, unsigned group, uint32_t number);
/* Keeps a descriptor of a file that is being examined. */
void file_keep(struct traced_file *f);
/* The number of its places. */
size_t file_sites(const struct traced_file *f);

/* The names of a spare probe, and its module, in memory that is used again. */
struct file_names {
	char *text;			/* `room` bytes */
	size_t room;
	struct program_module module;
};

/* Gives a probe copies of names that are only valid while the file is examined. */
void file_names_set(struct file_names *to, struct arena *a, struct probe *p, const struct program_module *m,
		    const struct probe_names *names);

/* ---- while the program runs ---- */
/* A process has mapped a file: w->region. If it is a new one and there is room, `examine` finds its places and attaches
 * them; a file for which it returns false is released. What was lost is reported once, in w->warning. */
void files_follow(struct traced_files *s, struct probe_follow *w, bool (*examine)(struct file_visit *v));
/* The number of files that were found while the program runs. */
size_t files_later(const struct traced_files *s);
/* Adds all descriptors to *to. */
void files_detach(struct traced_files *s, struct links *to);

#endif
