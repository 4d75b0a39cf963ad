/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/follow.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/follow.h"

/* Only the command of -c is held: the parent of another process would see that it stops. */
static bool is_held(const struct dtr *t, int64_t pid)
{
	return t->owned && pid == t->env.target;
}

/* True if this linker of the process was watched before. */
static bool is_known(struct dtr *t, int64_t pid, int fd)
{
	struct followed_linker x = { .pid = pid };
	struct stat st;

	if (fstat(fd, &st))
		return false;
	x.dev = st.st_dev;
	x.ino = st.st_ino;
	for (size_t i = 0; i < t->linkers.n; i++)
		if (t->linkers.v[i].pid == pid && t->linkers.v[i].dev == x.dev && t->linkers.v[i].ino == x.ino)
			return true;
	*VEC_ADD(&t->arena, &t->linkers) = x;
	return false;
}

/* Another program may have another linker. */
static void watch_linker(struct dtr *t, int64_t pid)
{
	struct start_linker l;
	struct backend_linker b;
	char reason[256];

	if (!start_linker((pid_t)pid, &l))
		return;
	if (is_known(t, pid, l.fd)) {
		close(l.fd);
		return;
	}
	b = (struct backend_linker){ l.fd, l.off, l.state };
	if (t->ops->processes->linker(t->backend, pid, is_held(t, pid), &b, reason, sizeof reason) < 0)
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

static void watch(struct dtr *t, int64_t pid)
{
	char reason[256];

	if (pid <= 0 || is_watched(t, pid))
		return;
	*VEC_ADD(&t->arena, &t->followed) = pid;
	if (t->ops->processes->watch(t->backend, pid, is_held(t, pid), reason, sizeof reason) < 0)
		output_message(&t->output, "programs that process %lld executes are not traced: %s", (long long)pid,
			       reason);
	watch_linker(t, pid);
}

static void *object_of(void *arg, uint32_t obj)
{
	struct dtr *t = arg;

	return t->ops->object(t->backend, obj);
}

static void filled(void *arg, struct probe *p)
{
	struct dtr *t = arg;

	follow_bind(t->prog, object_of, t, p);
}

static void follow_files(struct dtr *t, int64_t pid)
{
	struct probe_follow f = { .set = &t->probes, .pid = pid, .filled = filled, .arg = t };

	for (const struct provider *const *p = providers; *p; p++)
		if ((*p)->follow)
			(*p)->follow(&f);
	if (f.warning[0])
		output_message(&t->output, "warning: %s", f.warning);
}

static void follow(struct dtr *t, int64_t pid)
{
	follow_files(t, pid);
	watch_linker(t, pid);
	if (is_held(t, pid))
		kill((pid_t)pid, SIGCONT);
}

/* A process that runs may have loaded files since its probes were found. */
void follow_open(struct dtr *t)
{
	if (!t->ops->processes)
		return;
	for (const struct clause *c = t->prog->script->clauses; c; c = c->next)
		for (size_t i = 0; c->follows && i < c->specs.n; i++)
			watch(t, probe_process_of(&t->probes, &c->specs.v[i]));
	for (size_t i = 0; i < t->followed.n; i++)
		if (!is_held(t, t->followed.v[i]))
			follow_files(t, t->followed.v[i]);
}

void follow_pass(struct dtr *t)
{
	int64_t pid;

	if (!t->followed.n)
		return;
	while (t->ops->processes->changed(t->backend, &pid))
		follow(t, pid);
}
