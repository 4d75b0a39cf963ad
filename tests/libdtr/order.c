/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls the functions of libdtr in every order: after each beginning of a session, each pair of calls, also with
 * arguments that are missing. A call that fails must say why. Usage: order ENGINE SHARE; order ENGINE SHARE fork:
 * closes a running session in a fork, which must not disturb it; order list: prints the calls.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/dtr.h"

static unsigned messages;
static const char *engine, *share;
static char *no_variables[] = { NULL };

static void on_message(void *arg, const char *text)
{
	(void)arg, (void)text;
	messages++;
}

static int on_row(void *arg, const struct dtr_row *r)
{
	(void)arg;
	return r->keys && r->value < 0;
}

static void on_record(void *arg, const struct dtr_record *r)
{
	(void)arg, (void)r;
}

/* ---- the calls: -1 if they fail ---- */
static const char *const null_file[] = { "/dev/null", "/dev/null" }, *const missing[] = { NULL };
static const struct dtr_recording recording = { .rate = "97" }, unrated = { .rate = NULL };

static int page(struct dtr *t, enum dtr_page which)
{
	char *data = NULL;
	size_t size;
	int r = dtr_page(t, which, NULL, 0, &data, &size);

	free(data);
	return r;
}

static int profile_added(struct dtr *t)
{
	char *data = NULL;
	size_t size;
	bool empty;
	int r = dtr_profile_added(t, &data, &size, &empty);

	free(data);
	return r;
}

static int picture(struct dtr *t)
{
	struct dtr_account account;
	struct dtr_picture p;
	struct dtr_cost cost;
	struct dtr_agg agg;
	bool beyond;

	dtr_picture(t, &p);
	dtr_account(t, 0, -1, &account, &beyond);
	dtr_cost(t, 0, &cost);
	dtr_agg(t, 0, &agg);
	return (int)(dtr_agg_count(t) + dtr_writes(t) + (unsigned)dtr_status(t)) * 0;
}

static int properties(struct dtr *t)
{
	return 0 * (dtr_quiet(t) + dtr_is_picture(t) + dtr_for_people(t) + dtr_is_ending(t) + dtr_is_cancelled(t) +
		    dtr_traces(t) + (int)dtr_starts_at(t));
}

#define CALL(name, expression) static int call_##name(struct dtr *t) { return expression; }
#define CALLS \
	CALL(option, dtr_option(t, "quiet", NULL)) CALL(option_null, dtr_option(t, NULL, NULL)) \
	CALL(environment, dtr_environment(t, no_variables)) CALL(environment_null, dtr_environment(t, NULL)) \
	CALL(arguments, (dtr_arguments(t, "x", NULL, 0), 0)) \
	CALL(target, (dtr_target(t, getpid(), DTR_TARGET_RUNS), 0)) CALL(subject, (dtr_subject(t, NULL, NULL), 0)) \
	CALL(add_text, dtr_add_text(t, "BEGIN { n++; }", DTR_PROBE)) \
	CALL(add_text_null, dtr_add_text(t, NULL, DTR_PROBE)) CALL(add_script, (dtr_add_script(t, "int k;", "k"), 0)) \
	CALL(add_script_null, (dtr_add_script(t, NULL, NULL), 0)) \
	CALL(add_file, dtr_add_file(t, "/dev/null", NULL)) CALL(add_file_null, dtr_add_file(t, NULL, NULL)) \
	CALL(records, (dtr_records(t, on_record, NULL), 0)) CALL(record, dtr_record(t, &recording)) \
	CALL(record_null, dtr_record(t, NULL)) CALL(record_unrated, dtr_record(t, &unrated)) \
	CALL(query, dtr_query(t, "/dev/null")) CALL(query_null, dtr_query(t, NULL)) \
	CALL(report, dtr_report(t, "/dev/null", true)) CALL(report_null, dtr_report(t, NULL, true)) \
	CALL(parse, dtr_parse(t)) CALL(compile, dtr_compile(t)) CALL(report_matches, (dtr_report_matches(t), 0)) \
	CALL(dump, dtr_dump(t, 'B')) CALL(dump_parsed, dtr_dump(t, 'P')) CALL(check, dtr_check(t)) \
	CALL(show, dtr_show(t)) CALL(list, dtr_list(t, false)) CALL(declare, dtr_declare(t, 64, "/dev/null", NULL, 0)) \
	CALL(declare_null, dtr_declare(t, 0, NULL, NULL, 0)) CALL(stability, (dtr_report_stability(t), 0)) \
	CALL(go, dtr_go(t)) CALL(work, dtr_work(t) == DTR_ERROR ? -1 : 0) CALL(stop, (dtr_stop(t), 0)) \
	CALL(cancel, (dtr_cancel(t), 0)) CALL(target_gone, (dtr_target_gone(t), 0)) CALL(snapshot, dtr_snapshot(t)) \
	CALL(agg_rows, dtr_agg_rows(t, 0, on_row, NULL)) CALL(agg_rows_null, dtr_agg_rows(t, 0, NULL, NULL)) \
	CALL(page, page(t, DTR_OPENMETRICS)) CALL(page_flame, page(t, DTR_FLAME)) \
	CALL(profile_added, profile_added(t)) CALL(omit, (dtr_omit(t), 0)) CALL(finish, dtr_finish(t)) \
	CALL(picture, picture(t)) CALL(properties, properties(t)) \
	CALL(merge, dtr_merge(t, null_file, 1, NULL, true)) CALL(merge_null, dtr_merge(t, NULL, 0, NULL, true)) \
	CALL(merge_hosts, dtr_merge_hosts(t, missing, 1, NULL, true)) \
	CALL(diff, dtr_diff(t, "/dev/null", "/dev/null", true)) CALL(diff_null, dtr_diff(t, NULL, NULL, true)) \
	CALL(keep_null, (dtr_keep(t, NULL), 0))
CALLS
#undef CALL

static const struct { const char *name, *text; int (*call)(struct dtr *t); } calls[] = {
#define CALL(name, expression) { #name, #expression, call_##name },
	CALLS
};
enum { NCALLS = sizeof calls / sizeof *calls };

/* ---- beginnings of a session ---- */
static void begin_nothing(struct dtr *t) { (void)t; }
static void begin_text(struct dtr *t) { dtr_add_text(t, "BEGIN { @[1] = count(); }", DTR_PROBE); }
static void begin_parsed(struct dtr *t) { begin_text(t); dtr_parse(t); }
static void begin_compiled(struct dtr *t) { begin_text(t); dtr_compile(t); }
static void begin_running(struct dtr *t) { begin_compiled(t); dtr_go(t); }
static void begin_finished(struct dtr *t) { begin_running(t); dtr_finish(t); }
static void begin_wrong(struct dtr *t) { dtr_add_text(t, "BEGIN { nonsense }", DTR_PROBE); dtr_compile(t); }
static void begin_failed(struct dtr *t) { dtr_add_text(t, "int x;", DTR_PROBE); dtr_compile(t); dtr_go(t); }

static const struct { const char *name; void (*make)(struct dtr *t); } beginnings[] = {
	{ "nothing", begin_nothing }, { "a text", begin_text }, { "dtr_parse", begin_parsed },
	{ "dtr_compile", begin_compiled }, { "dtr_go", begin_running }, { "dtr_finish", begin_finished },
	{ "a compilation that failed", begin_wrong }, { "a start that failed", begin_failed },
};
enum { NBEGINNINGS = sizeof beginnings / sizeof *beginnings };

static struct dtr *session_open(void)
{
	const struct dtr_config c = { .message = on_message, .share = share };
	struct dtr *t = dtr_open(&c);

	if (!t || dtr_option(t, "engine", engine) < 0 || dtr_option(t, "switchrate", "1ms") < 0)
		exit(2);
	return t;
}

/* Returns false if it failed without a message of its own. dtr_finish also fails if another call has; dtr_cancel ends
 * dtr_go without a message. */
static bool call_speaks(struct dtr *t, unsigned i)
{
	unsigned before = calls[i].call == call_finish ? 0 : messages;

	return calls[i].call(t) >= 0 || messages > before || (calls[i].call == call_go && dtr_is_cancelled(t));
}

static unsigned try_pair(unsigned b, unsigned i, unsigned k)
{
	struct dtr *t = session_open();
	bool first, second;

	messages = 0;
	beginnings[b].make(t);
	first = call_speaks(t, i);
	second = call_speaks(t, k);
	dtr_close(t);
	if (!first || !second)
		printf("after %s: %s, %s: no message from the %s\n", beginnings[b].name, calls[i].name, calls[k].name,
		       first ? "second" : "first");
	return !first || !second;
}

/* All pairs that begin with a call, in a process of its own. */
static unsigned try_pairs(unsigned b, unsigned i)
{
	unsigned bad = 0, k = 0;
	unsigned *at = NULL;
	pid_t pid;
	int status, pipe_fd[2];

	if (pipe(pipe_fd))
		exit(2);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (; k < NCALLS && bad < 5; k++) {
			if (write(pipe_fd[1], &k, sizeof k) != sizeof k)
				exit(2);
			bad += try_pair(b, i, k);
		}
		exit(bad > 0);
	}
	close(pipe_fd[1]);
	while (read(pipe_fd[0], &k, sizeof k) == sizeof k)
		at = &k;
	close(pipe_fd[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(2);
	if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
		return WEXITSTATUS(status) != 0;
	printf("after %s: %s, %s: status %x\n", beginnings[b].name, calls[i].name, at ? calls[*at].name : "?",
	       (unsigned)status);
	return 1;
}

/* ---- a fork ---- */
static bool fork_is_refused(struct dtr *t)
{
	messages = 0;
	dtr_stop(t);
	return dtr_work(t) == DTR_ERROR && dtr_snapshot(t) < 0 && dtr_finish(t) < 0 && messages == 3;
}

/* The session ends by its script, after more firings than can come before the fork has ended. */
static int try_fork(void)
{
	static const char script[] = "profile-97 { @[ustack()] = count(); } tick-10ms { n++; } "
				     "tick-10ms /n == 30/ { exit(7); }";
	struct dtr *t = session_open();
	int status = -1;
	pid_t pid;

	if (dtr_option(t, "quiet", NULL) < 0 || dtr_add_text(t, script, DTR_PROBE) < 0 || dtr_compile(t) < 0 ||
	    dtr_go(t) < 0)
		return 2;
	pid = fork();
	if (!pid) {
		alarm(60);
		status = fork_is_refused(t) ? 0 : 1;
		dtr_close(t);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	printf("the fork: status %x\n", (unsigned)status);
	alarm(60);
	while (dtr_work(t) == DTR_MORE)
		;
	status = dtr_finish(t);
	printf("the session: %d, status %d\n", status, dtr_status(t));
	dtr_close(t);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned bad = 0;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (unsigned i = 0; i < NCALLS; i++)
			puts(calls[i].text);
		return 0;
	}
	if (argc < 3)
		return 2;
	engine = argv[1];
	share = argv[2];
	if (argc == 4 && !strcmp(argv[3], "fork"))
		return try_fork();
	if (dtr_open(NULL))
		puts("dtr_open(NULL) returned a session");
	for (unsigned b = 0; b < NBEGINNINGS; b++)
		for (unsigned i = 0; i < NCALLS; i++)
			bad += try_pairs(b, i);
	printf("%u calls, %u beginnings, %u bad\n", (unsigned)NCALLS, (unsigned)NBEGINNINGS, bad);
	return bad > 0;
}
