/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/cgroups.h"

#include <string.h>
#include <sys/stat.h>

#include "engine/containers/containers.h"
#include "engine/containers/hierarchy.h"
#include "engine/session/session.h"

enum { KERNEL_ROOT = 1 };	/* number of the root of each hierarchy */
#define NO_GROUP UINT64_MAX	/* the number of no group; 0 is that of unknown ones */

/* The compiler needs to know the hierarchy before the engine is open. */
static struct containers *session_containers(struct dtr *t)
{
	const struct containers_want want = {
		.hierarchy = t->opts.hierarchy, .recorded = t->query, .oom = t->cfg.oom, .oom_arg = t->cfg.arg,
	};

	if (!t->symbols.containers)
		t->symbols.containers = containers_open(&want);
	return t->symbols.containers;
}

bool cgroups_exist(struct dtr *t)
{
	char reason[160];

	return containers_hierarchy(session_containers(t), reason, sizeof reason);
}

const char *cgroups_controller(void *arg)
{
	struct dtr *t = arg;
	char reason[160];
	const struct cgroup_hierarchy *h = containers_hierarchy(session_containers(t), reason, sizeof reason);

	return h && *h->controller ? h->controller : NULL;
}

/* ---- what programs compare ---- */
struct marking {
	struct dtr *t;
	struct cgroup_mark *table;
	bool full;
};

/* The entry of a group, or a free one; NULL: there is none. */
static struct cgroup_mark *mark_place(struct cgroup_mark *table, uint64_t id)
{
	struct cgroup_mark *set = &table[id % CGROUP_SETS * CGROUP_WAYS], *unused = NULL;

	for (unsigned i = 0; i < CGROUP_WAYS; i++) {
		if (set[i].id == id)
			return &set[i];
		if (!set[i].id && !unused)
			unused = &set[i];
	}
	return unused;
}

static void group_mark(void *arg, uint64_t id)
{
	struct marking *m = arg;
	const struct cgroup_uses *u = &m->t->prog->cgroups;
	struct cgroup_mark *place;
	uint64_t marks = 0;

	for (size_t i = 0; i < u->tests.n; i++)
		if (containers_is(m->t->symbols.containers, u->tests.v[i].kind, u->tests.v[i].text, id))
			marks |= 1ull << i;
	if (!marks)
		return;
	place = mark_place(m->table, id);
	m->full |= !place;
	if (!place)
		return;
	/* programs look for the number first */
	__atomic_store_n(&place->marks, marks, __ATOMIC_RELAXED);
	__atomic_store_n(&place->id, id, __ATOMIC_RELEASE);
}

static void tests_update(struct dtr *t)
{
	const struct cgroup_uses *u = &t->prog->cgroups;
	struct marking m = { .t = t };

	if (u->marks >= 0 && t->ops->object)
		m.table = t->ops->object(t->backend, (uint32_t)u->marks);
	if (!m.table)
		return;
	containers_each(t->symbols.containers, group_mark, &m);
	if (m.full && !t->cgroups.full)
		output_message(&t->output, "too many control groups have the names that the script compares: it does "
			       "not see all of them");
	t->cgroups.full |= m.full;
}

static const char *only_text(const struct dtr *t, enum cgroup_search *how)
{
	*how = t->opts.d.cgroup ? CGROUP_BY_NAME : CGROUP_OF_CONTAINER;
	return t->opts.d.cgroup ? t->opts.d.cgroup : t->opts.d.container;
}

/* The group of -x cgroup or -x container, as soon as it is there, and again if another one has its name later. */
static void only_update(struct dtr *t)
{
	const struct cgroup_uses *u = &t->prog->cgroups;
	struct cgroup_found found;
	struct cgroup_only *only = NULL;
	enum cgroup_search how;
	const char *text = only_text(t, &how);

	if (u->only >= 0 && t->ops->object)
		only = t->ops->object(t->backend, (uint32_t)u->only);
	if (only && !only->id)
		__atomic_store_n(&only->id, NO_GROUP, __ATOMIC_RELAXED);
	if (!only || !containers_find(t->symbols.containers, how, text, &found))
		return;
	if (only->id != found.id) {
		__atomic_store_n(&only->id, NO_GROUP, __ATOMIC_RELAXED);
		__atomic_store_n(&only->level, found.level, __ATOMIC_RELAXED);
		__atomic_store_n(&only->id, found.id, __ATOMIC_RELEASE);
	}
	t->cgroups.found = true;
}

/* ---- the session ---- */
/* Programs compare levels from the root of the hierarchy, which a name space hides. */
static bool only_possible(struct dtr *t)
{
	const struct cgroup_hierarchy *h;
	char reason[160];
	struct stat st;

	h = containers_hierarchy(t->symbols.containers, reason, sizeof reason);
	if (t->query)
		return true;
	if (!h)
		return diag(&t->diags, (struct loc){ 0 }, D_ENGINE, "-x %s: %s",
			    t->opts.d.cgroup ? "cgroup" : "container", reason) == 0;
	if (t->ops == &backend_bpf && !stat(h->mount, &st) && st.st_ino != KERNEL_ROOT)
		return diag(&t->diags, (struct loc){ 0 }, D_ENGINE,
			    "-x %s: the control groups here are those of a name space; compare `container` or `cgroup` "
			    "in a predicate", t->opts.d.cgroup ? "cgroup" : "container") == 0;
	return true;
}

static void watch_groups(struct dtr *t)
{
	char reason[256] = "";

	if (!t->ops->cgroups)
		return;
	if (t->ops->cgroups->watch(t->backend, reason, sizeof reason) < 0)
		output_message(&t->output, "control groups that end early will have no names: %s", reason);
	else
		t->cgroups.watched = true;
}

static void group_put(void *arg, const struct containers_group *g)
{
	containers_put(arg, g);
}

/* Reads the groups that there are, here or in the recording, and begins to watch new ones. */
static void read_groups(struct dtr *t)
{
	if (t->query) {
		if (t->ops->cgroups)
			t->ops->cgroups->recorded(t->backend, group_put, t->symbols.containers);
		return;
	}
	watch_groups(t);
	containers_scan(t->symbols.containers);
}

static void report_absent(struct dtr *t, enum cgroup_search how, const char *name)
{
	const char *what = how == CGROUP_BY_NAME ? "control group" : "container";

	if (t->query)
		output_message(&t->output, "the recording has no %s '%s'", what, name);
	else
		output_message(&t->output, "there is no %s '%s' yet: nothing is traced until it %s", what, name,
			       how == CGROUP_BY_NAME ? "is created" : "starts");
}

int cgroups_open(struct dtr *t)
{
	enum cgroup_search how;
	const char *only;
	char reason[160];

	if (!t->prog->cgroups.any)
		return 0;
	session_containers(t);
	only = only_text(t, &how);
	if (t->opts.hierarchy && !containers_hierarchy(t->symbols.containers, reason, sizeof reason))
		return diag(&t->diags, (struct loc){ 0 }, D_PRAGMA_OPTSET, "option 'hierarchy': %s", reason);
	if (t->opts.d.cgroup && t->opts.d.container)
		return diag(&t->diags, (struct loc){ 0 }, D_PRAGMA_OPTSET,
			    "option 'container': -x cgroup is given, too; one of them selects what is traced");
	if (only && !only_possible(t))
		return -1;
	read_groups(t);
	t->cgroups.used = true;
	cgroups_pass(t);
	if (only && !t->cgroups.found)
		report_absent(t, how, only);
	return 0;
}

static bool take_reports(struct dtr *t)
{
	const struct cgroup_hierarchy *h;
	struct backend_cgroup c;
	char reason[160];
	bool any = false;

	h = containers_hierarchy(t->symbols.containers, reason, sizeof reason);
	while (t->cgroups.watched && t->ops->cgroups->created(t->backend, &c)) {
		if (h && c.hierarchy == h->number)
			containers_add(t->symbols.containers, c.id, c.parent, c.name);
		any = true;
	}
	return any;
}

void cgroups_pass(struct dtr *t)
{
	const bool waits = t->prog && t->prog->cgroups.only >= 0;
	uint64_t changes;

	if (!t->cgroups.used)
		return;
	take_reports(t);
	changes = containers_refresh(t->symbols.containers);
	if (changes == t->cgroups.changes && t->cgroups.compared)
		return;
	t->cgroups.compared = true;
	t->cgroups.changes = changes;
	tests_update(t);
	if (waits)
		only_update(t);
}

void cgroups_close(struct dtr *t)
{
	containers_close(t->symbols.containers);
	t->symbols.containers = NULL;
	t->cgroups.used = false;
}
