/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/follow.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/programs/programs.h"
#include "engine/programs/start.h"
#include "lang/lower/follow.h"
#include "providers/family.h"
#include "providers/program.h"

#define FOLLOW_LIMITS 100000000ull	/* ns between looks at probes that fire too often */

/* Only the command of -c and its family are held: the parent of another process would see that it stops.
 * named: the process that descriptions name. */
static bool is_held(const struct dtr *t, int64_t named)
{
	return t->owned && named == t->env.target;
}

/* The table of families, or NULL. */
static uint16_t *family_table(const struct dtr *t)
{
	int64_t obj = ir_obj_find(t->prog->ir, FAMILY_OBJECT);

	return obj < 0 ? NULL : t->ops->object(t->backend, (uint32_t)obj);
}

/* The process that descriptions name: this one, or an ancestor. 0: the process has ended. */
static int64_t named_of(const struct dtr *t, int64_t pid)
{
	const uint16_t *table = family_table(t);
	size_t family = table && pid < FAMILY_PIDS ? __atomic_load_n(&table[pid], __ATOMIC_ACQUIRE) : 0;

	if (!table)
		return pid;
	return family ? t->probes.families.v[family - 1] : 0;
}

static struct backend_watched watched_as(struct dtr *t, int64_t named)
{
	return (struct backend_watched){
		.pid = named, .family = family_table(t) ? (uint16_t)family_word(&t->probes, named) : 0,
		.hold = is_held(t, named),
	};
}

/* True if this linker was watched before for the process that descriptions name. */
static bool is_known(struct dtr *t, int64_t named, int fd)
{
	struct followed_linker x = { .pid = named };
	struct stat st;

	if (fstat(fd, &st))
		return false;
	x.dev = st.st_dev;
	x.ino = st.st_ino;
	for (size_t i = 0; i < t->linkers.n; i++)
		if (t->linkers.v[i].pid == named && t->linkers.v[i].dev == x.dev && t->linkers.v[i].ino == x.ino)
			return true;
	*VEC_ADD(&t->arena, &t->linkers) = x;
	return false;
}

/* Another program may have another linker. */
static void watch_linker(struct dtr *t, int64_t pid, int64_t named)
{
	const struct backend_watched w = watched_as(t, named);
	struct start_linker l;
	struct backend_linker b;
	char reason[256];

	if (!start_linker((pid_t)pid, &l))
		return;
	if (is_known(t, named, l.fd)) {
		close(l.fd);
		return;
	}
	b = (struct backend_linker){ l.fd, l.off, l.state };
	if (t->ops->processes->linker(t->backend, &w, &b, reason, sizeof reason) < 0)
		output_message(&t->output, "libraries that process %lld loads are not traced: %s", (long long)pid,
			       reason);
	close(l.fd);
}

static bool is_watched(const struct dtr *t, int64_t pid)
{
	for (size_t i = 0; i < t->followed.n; i++)
		if (t->followed.v[i] == pid)
			return true;
	return false;
}

static void follow_watch(struct dtr *t, int64_t pid)
{
	const struct backend_watched w = watched_as(t, pid);
	char reason[256];

	if (pid <= 0 || is_watched(t, pid))
		return;
	*VEC_ADD(&t->arena, &t->followed) = pid;
	if (t->ops->processes->watch(t->backend, &w, reason, sizeof reason) < 0)
		output_message(&t->output, "programs that process %lld executes are not traced: %s", (long long)pid,
			       reason);
	if (w.family && pid < FAMILY_PIDS)
		__atomic_store_n(&family_table(t)[pid], w.family, __ATOMIC_RELEASE);
	watch_linker(t, pid, pid);
}

static void *session_object(void *arg, uint32_t obj)
{
	struct dtr *t = arg;

	return t->ops->object(t->backend, obj);
}

static void probe_filled(void *arg, struct probe *p)
{
	struct dtr *t = arg;

	follow_bind(t->prog, session_object, t, p);
}

static void follow_files(struct dtr *t, int64_t pid, int64_t named)
{
	struct probe_follow f = { .set = &t->probes, .pid = pid, .named = named, .filled = probe_filled, .arg = t };

	for (const struct provider *const *p = providers; *p; p++)
		if ((*p)->processes && (*p)->processes->follow)
			(*p)->processes->follow(&f);
	if (f.warning[0])
		output_message(&t->output, "warning: %s", f.warning);
}

/* ---- files that any process maps ---- */
/* A mapping of a process that was looked at, and may have been before, or one that the engine has reported. */
enum region_seen { REGION_LISTED, REGION_REPORTED };

static void region_forget(void *arg, uint64_t ino)
{
	struct dtr *t = arg;

	t->ops->processes->forget(t->backend, ino);
}

static void follow_file(struct dtr *t, const struct program_region *r, enum region_seen seen)
{
	struct probe_follow f = {
		.set = &t->probes, .pid = r->pid, .filled = probe_filled, .arg = t, .region = r,
		.known = seen == REGION_LISTED,
		.forget = region_forget,
	};

	for (const struct provider *const *p = providers; *p; p++)
		if ((*p)->everywhere && (*p)->everywhere->mapped)
			(*p)->everywhere->mapped(&f);
	if (f.warning[0])
		output_message(&t->output, "warning: %s", f.warning);
}

static void follow_region(void *arg, const struct program_region *r)
{
	follow_file(arg, r, REGION_LISTED);
}

static void follow_process(void *arg, int64_t pid)
{
	programs_ops.regions(pid, follow_region, arg);
}

/* Files may have been mapped since the probes were found. */
static void follow_everywhere(struct dtr *t)
{
	char reason[256] = "not with this engine";

	if (!t->probes.everywhere)
		return;
	if (!t->ops->processes->mappings || t->ops->processes->mappings(t->backend, reason, sizeof reason) < 0)
		output_message(&t->output, "warning: probes in files that no process has mapped yet are not traced: %s",
			       reason);
	else
		programs_ops.processes(follow_process, t);
}

static void follow_mappings(struct dtr *t)
{
	struct program_region r;

	while (t->probes.everywhere && t->ops->processes->mapped && t->ops->processes->mapped(t->backend, &r)) {
		if (r.pid > 0)
			follow_file(t, &r, REGION_REPORTED);
		else
			programs_ops.processes(follow_process, t);
	}
}

static void follow_changed(struct dtr *t, int64_t pid)
{
	int64_t named = named_of(t, pid);

	if (!named)
		return;
	follow_files(t, pid, named);
	watch_linker(t, pid, named);
	if (is_held(t, named))
		kill((pid_t)pid, SIGCONT);
}

/* A process that runs may have loaded files since its probes were found. */
void follow_open(struct dtr *t)
{
	if (!t->ops->processes)
		return;
	for (const struct clause *c = t->prog->script->clauses; c; c = c->next)
		for (size_t i = 0; c->follows && i < c->specs.n; i++)
			follow_watch(t, probe_process_of(&t->probes, &c->specs.v[i]));
	for (size_t i = 0; i < t->prog->probes.n; i++) {
		const struct probe *p = t->prog->probes.v[i].probe;

		if (p->prov->processes && p->prov->processes->moves)
			follow_watch(t, p->prov->processes->moves(p));
	}
	for (size_t i = 0; i < t->probes.families.n; i++)
		follow_watch(t, t->probes.families.v[i]);
	for (size_t i = 0; i < t->followed.n; i++)
		if (!is_held(t, t->followed.v[i]))
			follow_files(t, t->followed.v[i], t->followed.v[i]);
	follow_everywhere(t);
}

/* Disarms probes of all processes that fire too often. */
static void follow_limits(struct dtr *t)
{
	struct probe_follow f = { .set = &t->probes };

	if (!t->probes.everywhere || !t->opts.d.maxfirings || clock_now() - t->limited < FOLLOW_LIMITS)
		return;
	t->limited = clock_now();
	for (const struct provider *const *p = providers; *p; p++)
		if ((*p)->everywhere && (*p)->everywhere->limit)
			(*p)->everywhere->limit(&f);
	if (f.warning[0])
		output_message(&t->output, "warning: %s", f.warning);
}

uint64_t follow_patience(const struct dtr *t, uint64_t timeout)
{
	bool limits = t->probes.everywhere && t->opts.d.maxfirings && timeout > FOLLOW_LIMITS;

	return limits ? FOLLOW_LIMITS : timeout;
}

void follow_pass(struct dtr *t)
{
	int64_t pid;

	if (!t->ops->processes)
		return;
	follow_mappings(t);
	follow_limits(t);
	while (t->followed.n && t->ops->processes->changed(t->backend, &pid))
		follow_changed(t, pid);
}

void follow_report(struct dtr *t)
{
	struct probe_follow f = { .set = &t->probes };

	for (const struct provider *const *p = providers; *p; p++)
		if ((*p)->everywhere && (*p)->everywhere->unmet)
			(*p)->everywhere->unmet(&f);
	if (f.warning[0])
		output_message(&t->output, "warning: %s", f.warning);
}

void follow_end(struct dtr *t)
{
	uint16_t *table = t->followed.n ? family_table(t) : NULL;

	if (table)
		memset(table, 0, FAMILY_PIDS * sizeof *table);
}

void follow_close(struct dtr *t)
{
	int64_t pid;

	while (t->followed.n && t->ops->processes->changed(t->backend, &pid))
		if (t->owned && family_table(t))
			kill((pid_t)pid, SIGCONT);
}
