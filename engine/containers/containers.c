/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/containers/containers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/map.h"
#include "engine/containers/hierarchy.h"
#include "engine/containers/runtimes.h"
#include "engine/containers/state.h"
#include "ir/value.h"

enum { SHORT_ID = 12, MOST_GROUPS = 1 << 20, TRIES = 8 };
/* Names are looked for again after this time, then after twice as long each time, at most LONGEST_NS. */
#define RETRY_NS 200000000ull
#define LONGEST_NS 2000000000ull
/* How long a call may look for names: the first one, and others. */
#define FIRST_BUDGET_NS 500000000ull
#define BUDGET_NS 20000000ull
#define NONE "-"

enum { TEXT_CGROUP, TEXT_CONTAINER, TEXT_POD, TEXT_IMAGE, TEXTS };

struct group {
	uint64_t id;
	const struct group *parent;	/* NULL: the root */
	unsigned level;
	const char *path;
	struct container_place place;
	const char *text[TEXTS];	/* as they are shown; NULL: not looked for yet */
	unsigned tries;			/* how often names were looked for, */
	uint64_t due;			/* and when they are again */
	bool settled;			/* there is nothing more to find */
};

struct containers {
	struct arena arena;
	const char *root;
	const char *wanted;
	bool recorded;
	struct cgroup_hierarchy hierarchy;
	int missing;			/* there is no hierarchy: -errno */
	char reason[160];
	struct map by_id;
	VEC(struct group *) groups;	/* in the order in which they were found */
	struct map first;		/* kind and text -> the first group that is shown so */
	uint64_t changes, due;
	size_t next;			/* the group with which the next refresh begins */
};

static struct containers *containers_new(const struct containers_want *w)
{
	struct containers *c = calloc(1, sizeof *c);

	if (!c) {
		if (w->oom)
			w->oom(w->oom_arg);
		abort();
	}
	arena_init(&c->arena, w->oom, w->oom_arg);
	map_init(&c->by_id, &c->arena);
	map_init(&c->first, &c->arena);
	c->root = arena_strdup(&c->arena, w->root ? w->root : "");
	c->wanted = w->hierarchy ? arena_strdup(&c->arena, w->hierarchy) : NULL;
	return c;
}

struct containers *containers_open(const struct containers_want *w)
{
	struct containers *c = containers_new(w);
	char proc[PATH_MAX];

	c->recorded = w->recorded;
	if (c->recorded)
		return c;
	snprintf(proc, sizeof proc, "%s/proc", c->root);
	c->missing = cgroup_hierarchy_find(&c->hierarchy, c->wanted, proc, c->reason, sizeof c->reason);
	return c;
}

void containers_close(struct containers *c)
{
	if (!c)
		return;
	arena_free(&c->arena);
	free(c);
}

const struct cgroup_hierarchy *containers_hierarchy(struct containers *c, char *reason, size_t n)
{
	if (!c->missing)
		return &c->hierarchy;
	snprintf(reason, n, "%s", c->reason);
	return NULL;
}

/* ---- groups ---- */
static struct group *group_find(const struct containers *c, uint64_t id)
{
	void **slot = map_find(&c->by_id, &id, sizeof id);

	return slot ? *slot : NULL;
}

/* Adds a group, unless it is there. path: absolute. */
static struct group *group_add(struct containers *c, uint64_t id, const struct group *parent, const char *path)
{
	struct group *g = group_find(c, id);

	if (g || !id || c->groups.n >= MOST_GROUPS)
		return g;
	g = arena_alloc(&c->arena, sizeof *g);
	g->id = id;
	g->parent = parent;
	g->level = parent ? parent->level + 1 : 0;
	g->path = arena_strdup(&c->arena, path);
	runtime_find(path, &g->place);
	*map_put(&c->by_id, &id, sizeof id) = g;
	*VEC_ADD(&c->arena, &c->groups) = g;
	c->changes++;
	return g;
}

static char *path_below(struct containers *c, const struct group *above, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", strcmp(above->path, "/") ? above->path : "", name) < 0)
		arena_exhausted(&c->arena);
	return path;
}

/* Adds a group and those below it. Takes the descriptor. */
static void directory_scan(struct containers *c, const struct group *parent, const char *path, int fd)
{
	struct group *g;
	const struct dirent *e;
	struct stat st;
	DIR *dir;

	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	g = group_add(c, st.st_ino, parent, path);
	dir = g && g->level < HIERARCHY_DEPTH ? fdopendir(fd) : NULL;
	if (!dir) {
		close(fd);
		return;
	}
	while ((e = readdir(dir))) {
		char *below;

		if (e->d_type != DT_DIR || *e->d_name == '.')
			continue;
		below = path_below(c, g, e->d_name);
		directory_scan(c, g, below, openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
		free(below);
	}
	closedir(dir);
}

void containers_scan(struct containers *c)
{
	if (!c->missing && !c->recorded)
		directory_scan(c, NULL, c->hierarchy.root,
			       open(c->hierarchy.mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void group_move(struct containers *c, struct group *g, const char *path)
{
	g->path = arena_strdup(&c->arena, path);
	runtime_find(path, &g->place);
	memset(g->text, 0, sizeof g->text);
	g->tries = 0;
	g->due = 0;
	g->settled = false;
	c->changes++;
}

/* A group of version 1 was renamed. Those below it come after it in the list. */
static void group_rename(struct containers *c, struct group *renamed, const char *path)
{
	group_move(c, renamed, path);
	for (size_t i = 0; i < c->groups.n; i++) {
		struct group *g = c->groups.v[i];
		char *now = g != renamed && g->parent ? path_below(c, g->parent, strrchr(g->path, '/') + 1) : NULL;

		if (now && strcmp(now, g->path))
			group_move(c, g, now);
		free(now);
	}
}

void containers_add(struct containers *c, uint64_t id, uint64_t parent, const char *name)
{
	const struct group *above = group_find(c, parent);
	struct group *known = group_find(c, id);
	char *path;

	if (!above)
		return;		/* of another hierarchy, or outside of the mount */
	path = path_below(c, above, name);
	if (!known)
		group_add(c, id, above, path);
	else if (strcmp(known->path, path) && strcmp(known->path, "?"))
		group_rename(c, known, path);
	free(path);
}

/* ---- names ---- */
static void group_text(struct containers *c, struct group *g, unsigned which, const char *text)
{
	if (!*text || (g->text[which] && !strcmp(g->text[which], text)))
		return;
	g->text[which] = arena_strdup(&c->arena, text);
	c->changes++;
}

/* Groups within one container have the names of its own group. */
static void group_inherit(struct containers *c, struct group *g, const struct group *from)
{
	for (unsigned i = TEXT_CONTAINER; i < TEXTS; i++)
		group_text(c, g, i, from->text[i]);
}

/* The group of the same container that is the nearest to the root, if names have been looked for there. */
static const struct group *group_of_container(const struct group *g)
{
	const struct group *top = g;

	while (top->parent && top->parent->place.runtime && !strcmp(top->parent->place.id, g->place.id))
		top = top->parent;
	return top != g && top->settled ? top : NULL;
}

/* Looks for what is shown of a group. A runtime can write its files after it has created the group. */
static void group_name(struct containers *c, struct group *g)
{
	const struct container_place *p = &g->place;
	const struct group *top;
	struct container_state state;
	char pod[STATE_NAME];

	if (g->settled)
		return;
	g->due = clock_now() + (RETRY_NS << g->tries < LONGEST_NS ? RETRY_NS << g->tries : LONGEST_NS);
	g->tries++;
	g->settled = g->tries >= TRIES;
	group_text(c, g, TEXT_CGROUP, g->path);
	if (!p->runtime && !*p->pod) {
		for (unsigned i = TEXT_CONTAINER; i < TEXTS; i++)
			group_text(c, g, i, NONE);
		g->settled = true;
		return;
	}
	top = p->runtime ? group_of_container(g) : NULL;
	if (top) {
		group_inherit(c, g, top);
		g->settled = true;
		return;
	}
	memset(&state, 0, sizeof state);
	if (p->runtime && (p->named || state_find(c->root, p->id, &state)))
		g->settled = true;
	if (*p->pod && state_pod(c->root, p->pod, pod))
		memcpy(state.pod, pod, sizeof pod);
	else if (*p->pod && !p->runtime)
		g->settled = g->tries >= TRIES;
	if (!*state.name && p->runtime)
		snprintf(state.name, sizeof state.name, "%.*s", p->named ? STATE_NAME - 1 : (int)SHORT_ID, p->id);
	group_text(c, g, TEXT_CONTAINER, *state.name ? state.name : NONE);
	group_text(c, g, TEXT_POD, *state.pod ? state.pod : *p->pod ? p->pod : NONE);
	group_text(c, g, TEXT_IMAGE, *state.image ? state.image : NONE);
}

void containers_put(struct containers *c, const struct containers_group *from)
{
	struct group *g = group_add(c, from->id, group_find(c, from->parent), from->path);

	if (!g)
		return;
	group_text(c, g, TEXT_CGROUP, from->path);
	group_text(c, g, TEXT_CONTAINER, from->container);
	group_text(c, g, TEXT_POD, from->pod);
	group_text(c, g, TEXT_IMAGE, from->image);
	g->settled = true;
}

static const char *known_text(const struct group *g, unsigned which)
{
	return g->text[which] ? g->text[which] : NONE;
}

bool containers_get(struct containers *c, uint64_t id, struct containers_group *out)
{
	struct group *g = group_find(c, id);

	if (!g)
		return false;
	if (!g->text[TEXT_CGROUP])
		group_name(c, g);
	*out = (struct containers_group){
		.id = id, .parent = g->parent ? g->parent->id : 0, .path = g->path,
		.container = known_text(g, TEXT_CONTAINER), .pod = known_text(g, TEXT_POD),
		.image = known_text(g, TEXT_IMAGE),
	};
	return true;
}

uint64_t containers_refresh(struct containers *c)
{
	const uint64_t now = clock_now(), end = now + (c->due ? BUDGET_NS : FIRST_BUDGET_NS);

	if (c->recorded || now < c->due)
		return c->changes;
	c->due = now + RETRY_NS;
	for (size_t i = 0; i < c->groups.n; i++) {
		struct group *g = c->groups.v[c->next++ % c->groups.n];

		if (g->settled || g->due > now)
			continue;
		group_name(c, g);
		if (clock_now() > end)
			break;
	}
	if (c->groups.n)
		c->next %= c->groups.n;
	return c->changes;
}

static unsigned text_of(unsigned kind)
{
	static const uint8_t which[] = { [VAL_CGROUP] = TEXT_CGROUP, [VAL_CONTAINER] = TEXT_CONTAINER,
					 [VAL_POD] = TEXT_POD, [VAL_IMAGE] = TEXT_IMAGE };

	return kind < sizeof which ? which[kind] : TEXT_CGROUP;
}

/* The text of a group. If it is not known, the groups are read again: it may be new. */
static const char *shown_text(struct containers *c, unsigned kind, uint64_t id)
{
	struct group *g = group_find(c, id);

	if (!g && id && !c->missing && !c->recorded) {
		containers_scan(c);
		g = group_find(c, id);
		if (!g)		/* it has ended before it was seen */
			g = group_add(c, id, NULL, "?");
	}
	if (!g)
		return "?";
	if (!g->text[TEXT_CGROUP])
		group_name(c, g);
	return known_text(g, text_of(kind));
}

void containers_show(struct containers *c, unsigned kind, uint64_t id, struct buf *out)
{
	escape_puts(out, shown_text(c, kind, id), ESCAPE_LINE);
}

uint64_t containers_settle(struct containers *c, unsigned kind, uint64_t id)
{
	const char *text = shown_text(c, kind, id);
	struct buf key = { 0 };
	uint64_t *first;
	void **slot;

	if (*text == '?')
		return id;
	buf_putc(&key, (char)kind);
	buf_puts(&key, text);
	if (key.failed)
		arena_exhausted(&c->arena);
	slot = map_put(&c->first, key.data, key.len);
	buf_free(&key);
	if (!*slot) {
		first = arena_alloc(&c->arena, sizeof *first);
		*first = id;
		*slot = first;
	}
	return *(uint64_t *)*slot;
}

/* ---- comparisons ---- */
/* Names, and IDs by at least their first 12 digits. */
static bool is_named(const char *shown, const char *id, const char *text)
{
	const size_t n = strlen(text);

	return (strcmp(shown, NONE) || !*id ? !strcmp(shown, text) : false) ||
	       (*id && n >= SHORT_ID && !strncmp(id, text, n));
}

bool containers_is(struct containers *c, unsigned kind, const char *text, uint64_t id)
{
	const char *shown = shown_text(c, kind, id), *slash;
	const struct group *g = group_find(c, id);

	if (!g)
		return false;
	switch (kind) {
	case VAL_CONTAINER:
		return is_named(shown, g->place.runtime ? g->place.id : "", text);
	case VAL_POD:
		slash = strchr(shown, '/');
		return is_named(shown, g->place.pod, text) || (slash && !strcmp(slash + 1, text));
	default:
		return !strcmp(shown, text);
	}
}

void containers_each(struct containers *c, void (*fn)(void *arg, uint64_t id), void *arg)
{
	for (size_t i = 0; i < c->groups.n; i++)
		fn(arg, c->groups.v[i]->id);
}

static bool group_is(struct containers *c, const struct group *g, enum cgroup_search how, const char *text)
{
	const char *last = strrchr(g->path, '/');
	char number[24];

	if (how == CGROUP_OF_CONTAINER)
		return g->place.runtime && g->level == g->place.level &&
		       containers_is(c, VAL_CONTAINER, text, g->id);
	snprintf(number, sizeof number, "%" PRIu64, g->id);
	return !strcmp(g->path, text) || !strcmp(number, text) || (last && last[1] && !strcmp(last + 1, text));
}

/* True if the directory is still there. */
static bool group_exists(const struct containers *c, const struct group *g)
{
	char directory[PATH_MAX];
	struct stat st;

	if (c->recorded)
		return true;
	return !cgroup_directory(&c->hierarchy, g->path, directory) && !stat(directory, &st) && st.st_ino == g->id;
}

/* A path of the directory below the mount point is one, too. */
static const char *path_plain(const struct containers *c, const char *text)
{
	const size_t n = strlen(c->hierarchy.mount);

	if (n > 1 && !strncmp(text, c->hierarchy.mount, n) && (!text[n] || text[n] == '/'))
		return text[n] ? text + n : "/";
	return text;
}

bool containers_find(struct containers *c, enum cgroup_search how, const char *text, struct cgroup_found *out)
{
	if (how == CGROUP_BY_NAME)
		text = path_plain(c, text);
	for (size_t i = c->groups.n; i; i--) {
		const struct group *g = c->groups.v[i - 1];

		if (!group_is(c, g, how, text) || !group_exists(c, g))
			continue;
		*out = (struct cgroup_found){ g->id, g->level };
		return true;
	}
	return false;
}
