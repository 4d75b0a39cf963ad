/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr stat`: counts events of the processor and of the kernel. */
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd/dtr/say.h"
#include "cmd/dtr/stat/measure.h"
#include "cmd/dtr/stat/print.h"

struct stat_command {
	struct stat_args args;		/* the first member: that of stat_options */
	struct stat_total total;
	FILE *out;
	bool printed;			/* a line of an interval */
	bool lost;			/* output could not be written */
};

static void write_out(struct stat_command *s, struct buf *b)
{
	s->lost |= b->failed || fwrite(buf_str(b), 1, b->len, s->out) != b->len || fflush(s->out);
	buf_free(b);
}

static void show_interval(void *arg, const struct stat_counts *c)
{
	struct stat_command *s = arg;
	struct buf b = { 0 };

	stat_print_interval(&b, &s->args, c, !s->printed);
	s->printed = true;
	write_out(s, &b);
}

static void add_run(struct stat_total *t, struct arena *a, const struct stat_run *run)
{
	struct stat_counts *sum = &t->counts;

	if (!t->runs++) {
		*sum = run->counts;
		t->value = arena_calloc(a, sum->n, sizeof *t->value);
	} else {
		for (unsigned i = 0; i < sum->n; i++) {
			sum->v[i].value += run->counts.v[i].value;
			sum->v[i].enabled += run->counts.v[i].enabled;
			sum->v[i].running += run->counts.v[i].running;
		}
		sum->end += run->counts.end;
	}
	for (unsigned i = 0; i < sum->n; i++)
		stat_mean_add(&t->value[i], stat_estimate(&run->counts.v[i]));
	stat_mean_add(&t->elapsed, (double)run->counts.end / 1e9);
	stat_mean_add(&t->user, (double)run->user / 1e9);
	stat_mean_add(&t->sys, (double)run->sys / 1e9);
	t->status = run->status;
}

/* Returns -1 after a message; the table of the runs before that is printed. */
static int run_all(struct stat_command *s, struct arena *a, const struct rlimit *stack, int signals)
{
	struct stat_run run = {
		.args = &s->args, .arena = a, .stack = stack, .signals = signals, .interval = show_interval, .arg = s,
	};

	for (unsigned i = 0; i < s->args.repeat && !run.interrupted; i++) {
		if (stat_measure(&run)) {
			s->total.status = run.status;
			return -1;
		}
		add_run(&s->total, a, &run);
	}
	return 0;
}

static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int file_failed(const struct stat_command *s, const char *what)
{
	say("%s stat: failed to %s %s: %s\n", s->args.prog, what, s->args.output ? s->args.output : "output",
	    dtr_error_text(errno));
	return 1;
}

static int count_and_print(struct stat_command *s, struct arena *a, const struct rlimit *stack)
{
	int signals = block_signals(), status;
	struct buf b = { 0 };

	s->total.args = &s->args;
	if (signals < 0)
		return file_failed(s, "open");
	run_all(s, a, stack, signals);
	close(signals);
	status = s->total.status;
	if (s->total.runs && s->args.json)
		stat_print_json(&b, &s->total);
	else if (s->total.runs && !s->args.interval)
		stat_print_table(&b, &s->total);
	write_out(s, &b);
	return s->lost ? file_failed(s, "write") : status;
}

static int stat_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct stat_command s = { .args = { .prog = c->args.prog, .repeat = 1 } };
	struct command_line l;
	int status;

	if (command_parse(&l, c, self, &s, argc, argv))
		return l.status;
	if (stat_args_check(&l))
		return 2;
	if (s.args.output)
		s.out = fopen(s.args.output, "we");
	else	/* the output of a command is on standard output: the table is then on standard error */
		s.out = s.args.words ? stderr : stdout;
	if (!s.out)
		return file_failed(&s, "open");
	status = count_and_print(&s, &c->arena, &c->stack);
	if (s.args.output && fclose(s.out))
		status = file_failed(&s, "write");
	return status || ferror(stdout) ? status : cmd_answered(c);
}

const struct command command_stat = {
	.name = "stat", .summary = "count events of the processor and of the kernel",
	.usage = "[-a] [-e EVENTS] [-I MS] [-O FORMAT] [-o FILE] [-r N] [-p PID | -c COMMAND | COMMAND ...]",
	.about = "Counts events of the processor and of the kernel, and prints a table at the end.\n",
	.options = stat_options, .more = "\ndtr -l -P cpc lists events.\n",
	.words = true, .operands = true, .run = stat_main,
};
