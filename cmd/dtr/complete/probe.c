/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/map.h"
#include "cmd/dtr/complete/complete.h"

/* What a description can begin with. tests/cmd/complete.t compares it with the providers that dtr has. */
static const struct { const char *text, *means; } beginnings[] = {
	{ "BEGIN", "when tracing begins" }, { "END", "when tracing ends" }, { "ERROR", "after an error" },
	{ "profile-", "every CPU, N times a second" }, { "tick-", "one CPU, N times a second" },
	{ "cpc:", "counted events" },
	{ "dtrace:", "beginning, end, errors" }, { "fbt:", "functions of the kernel" },
	{ "fsinfo:", "operations on files" }, { "io:", "block devices" }, { "ip:", "IP packets" },
	{ "lockstat:", "locks of the kernel" }, { "mib:", "counters of the network" },
	{ "line", "source lines of a process: linePID:" }, { "pid", "functions of a process: pidPID:" },
	{ "plockstat", "locks of a process: plockstatPID:" },
	{ "proc:", "processes, threads, signals" }, { "profile:", "timers" }, { "rawtp:", "raw tracepoints" },
	{ "sched:", "the scheduler" }, { "sdt:", "tracepoints of the kernel" }, { "syscall:", "system calls" },
	{ "sysinfo:", "counters of the system" }, { "tcp:", "TCP connections and segments" },
	{ "udp:", "UDP datagrams" }, { "vminfo:", "counters of the memory" },
	{ "watch", "variables of a process: watchPID:" },
};

void complete_run(struct buf *out, const char *const *arguments)
{
	int ends[2], null, status = 0;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		out->failed = true;
		return;
	}
	child = fork();
	if (child == 0) {
		null = open("/dev/null", O_RDWR);
		if (null >= 0 && dup2(ends[1], 1) == 1 && dup2(null, 2) == 2 && dup2(null, 0) == 0)
			execv("/proc/self/exe", (char *const *)arguments);
		_exit(127);
	}
	close(ends[1]);
	if (child < 0 || buf_read_fd(out, ends[0]) < 0)
		out->failed = true;
	close(ends[0]);	/* before the child is waited for: it may have more to write */
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		out->failed = true;
}

/* The text of a member of a line of JSON, or "". Names of probes need no escapes. */
static const char *member_text(struct arena *a, const char *line, const char *name)
{
	const char *key = arena_printf(a, "\"%s\":\"", name), *s = strstr(line, key);

	s = s ? s + strlen(key) : "";
	return arena_strndup(a, s, strcspn(s, "\"\n"));
}

/* Appends field `field` of each listed probe, once, after `before` and, unless it is the last, with a colon. Returns
 * the only candidate, NULL if there are more or none. */
static const char *offer_fields(struct buf *out, struct arena *a, const char *list, unsigned field, const char *before)
{
	static const char *const names[] = { "provider", "module", "function", "name" };
	const char *only = NULL;
	unsigned n = 0;
	struct map seen;

	map_init(&seen, a);
	for (const char *s = list; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		const char *line = arena_strndup(a, s, strcspn(s, "\n")), *value = member_text(a, line, names[field]);
		void **known = map_put(&seen, value, strlen(value) + 1);

		if (*known || strncmp(line, "{\"type\":\"probe\"", 15) != 0)
			continue;
		*known = (void *)"";
		only = arena_printf(a, "%s%s%s", before, value, field < 3 ? ":" : "");
		complete_offer(out, "", only, "");
		n++;
	}
	return n == 1 ? only : NULL;
}

/* Appends what can follow the prefix up to its next colon. An only candidate is followed by what it can begin: the same
 * probes are meant. */
static void offer_next(struct buf *out, struct arena *a, const char *prefix)
{
	const char *colon = strrchr(prefix, ':'), *pattern;
	struct buf list = { 0 };
	unsigned field = 0;

	for (const char *s = prefix; *s; s++)
		field += *s == ':';
	if (field > 3)
		return;
	/* a star matches no empty part, which functions of most tracepoints are */
	pattern = arena_printf(a, "%s%s%s", prefix, colon[1] ? "*" : "", field == 1 ? "::" : field == 2 ? ":" : "");
	complete_run(&list, (const char *[]){ "dtr", "-l", "-O", "json", "-n", pattern, NULL });
	prefix = arena_strndup(a, prefix, (size_t)(colon + 1 - prefix));
	for (; prefix && field <= 3; field++) {
		buf_reset(out);
		prefix = offer_fields(out, a, buf_str(&list), field, prefix);
	}
	out->failed |= list.failed;	/* after buf_reset() */
	buf_free(&list);
}

/* The module can be left out: a provider is offered with one colon and with two. */
static void offer_beginnings(struct buf *out, struct arena *a, const char *prefix)
{
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
		const char *text = beginnings[i].text, *means = beginnings[i].means;

		complete_offer(out, prefix, text, means);
		if (text[strlen(text) - 1] == ':')
			complete_offer(out, prefix, arena_printf(a, "%s:", text), means);
	}
}

/* Of fbt, whose tens of thousands of functions take too long to list: its modules, and no functions without a letter.
 * Returns true if that is all. */
static bool offer_fbt(struct buf *out, struct arena *a, const char *prefix)
{
	struct buf modules = { 0 };

	if (strncmp(prefix, "fbt:", 4) != 0)
		return false;
	if (strchr(prefix + 4, ':'))
		return prefix[strlen(prefix) - 1] == ':' && strchr(prefix + 4, ':') == prefix + strlen(prefix) - 1;
	complete_offer(out, prefix, "fbt:vmlinux:", "the kernel");
	if (buf_read_file(&modules, "/proc/modules") < 0)
		out->failed |= modules.failed;	/* a kernel without modules has no such file */
	for (const char *s = buf_str(&modules); *s; s += strcspn(s, "\n"), s += *s == '\n')
		complete_offer(out, prefix, arena_printf(a, "fbt:%.*s:", (int)strcspn(s, " "), s), "a module");
	buf_free(&modules);
	return true;
}

/* A pattern stays as it is: what follows it is completed, a colon or the names of the probes that match. All functions
 * of fbt have the same names. Returns true if that is all. */
static bool offer_pattern(struct buf *out, struct arena *a, const char *prefix)
{
	const char *glob = strpbrk(prefix, "*?["), *colon = strrchr(prefix, ':'), *functions;
	bool fbt = strncmp(prefix, "fbt:", 4) == 0;
	struct buf list = { 0 };

	if (!glob)
		return false;
	if (glob < strchr(prefix, ':'))	/* several providers */
		return true;
	functions = strchr(strchr(prefix, ':') + 1, ':');
	if (glob < colon && !fbt)
		return false;
	if (glob < colon && functions && functions < colon) {
		complete_offer(out, prefix, arena_printf(a, "%.*sentry", (int)(colon + 1 - prefix), prefix), "");
		complete_offer(out, prefix, arena_printf(a, "%.*sreturn", (int)(colon + 1 - prefix), prefix), "");
	} else if (colon == functions && strpbrk(colon, "*?[")) {
		if (!fbt)
			complete_run(&list, (const char *[]){ "dtr", "-l", "-O", "json", "-n",
							      arena_printf(a, "%s:", prefix), NULL });
		if (fbt || strstr(buf_str(&list), "{\"type\":\"probe\""))
			complete_offer(out, prefix, arena_printf(a, "%s:", prefix), "");
		out->failed |= list.failed;
		buf_free(&list);
	}
	return true;
}

void complete_probes(struct buf *out, struct arena *a, const char *prefix)
{
	struct buf next = { 0 };

	if (strpbrk(prefix, ", /{$"))	/* more than one description */
		return;
	if (!strchr(prefix, ':')) {
		offer_beginnings(out, a, prefix);
		return;
	}
	if (offer_pattern(out, a, prefix) || offer_fbt(out, a, prefix))
		return;
	offer_next(&next, a, prefix);
	buf_puts(out, buf_str(&next));
	out->failed |= next.failed;
	buf_free(&next);
}
