/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of a session: the buffer that printers fill, the file it goes to, the messages, and what printers may know
 * of the session.
 *
 * Ownership: the session sets the members up to `about` and owns what they point to. output_close frees the rest
 * (idempotent).
 * Errors: functions report them as messages and set `failed`, or `closed` if nobody reads the output any more.
 */
#ifndef ENGINE_OUTPUT_OUTPUT_H
#define ENGINE_OUTPUT_OUTPUT_H

#include <stdatomic.h>
#include <stdio.h>

#include "base/arena.h"
#include "engine/run/about.h"
#include "engine/run/account.h"
#include "engine/run/names.h"
#include "engine/run/options.h"
#include "ir/ir.h"

struct accounts;
struct fault_reports;
struct printer;
struct types;

enum output_phase { OUTPUT_PENDING, OUTPUT_ACTIVE, OUTPUT_ENDING };

struct output {
	/* from the beginning; see struct dtr_config */
	const char *progname, *share;
	FILE *file;
	const char *name;	/* of the file, in messages */
	void (*message)(void *arg, const char *text);
	void (*oom)(void *arg);
	void *arg;
	struct arena *arena;
	const struct options *opts;
	const struct printer *printer;	/* replaces the one that -O selects; or NULL */

	/* once the script is compiled */
	const struct d_prog *prog;
	struct types *types;
	struct compiler *compiler;	/* its declarations of probes; NULL: none */
	struct names *symbols;
	struct val_names names;		/* formats addresses with `symbols` */
	const struct agg_table *tables;	/* by agg_desc id */
	unsigned ntables;
	const char *program;		/* the text of the script */
	size_t program_len;

	/* before printer->begin; about.now is updated when the session ends */
	const char *engine;
	bool blind;			/* samples have no program counters and no stacks */
	bool codeless;			/* although the picture, recording or report needs them: at its end dtr fails */
	bool stops;			/* samples are taken by stopping threads */
	struct run_about about;
	const struct accounts *accounts;	/* of firings; NULL: there are none */

	enum output_phase phase;
	const struct epid_desc *next;	/* the clause that prints next on this CPU, or NULL; with -F only */
	struct buf buf;
	void *state;			/* the printer's own */
	struct map faults;		/* enabling, kind and action -> struct fault_reports */
	VEC(struct fault_reports *) reported;
	struct agg_table *cleared;	/* by agg_desc id: rows that clear() has saved, the printer's; NULL: none */
	uint64_t lost[IR_NDROPS];	/* drops so far, of all CPUs, by enum ir_drop */
	struct dtr_picture drawn;	/* value, unit, truncated: of the picture that the printer has drawn */
	atomic_uint writes;		/* odd while the file is being written */
	bool closed;			/* the reader of the output has closed it, or it cannot be written */
	bool failed;			/* a run-time failure was reported: status 1 */
	int64_t status;			/* of exit() */
	struct {
		bool active;		/* output_redirect has replaced the file */
		int fd;			/* the original file */
	} redirect;
};

/* The printer that is in use. */
const struct printer *output_printer(const struct output *o);
/* Passes text to the message callback, with terminal control characters escaped. All messages go through it, */
void output_write_message(struct output *o, const struct buf *text);
/* except texts whose parts have been escaped already: diagnostics, which may have colours. */
void output_write_safe(struct output *o, const struct buf *text);
/* Sends "PROG: text\n" to the message callback, and to the output if its format has messages. */
void output_message(struct output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sends it only to the message callback: for messages that printers show as objects of their own. */
void output_stderr(struct output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes the buffer to the file and empties it. */
void output_flush(struct output *o);
/* The same if there is much in it. o: the struct output. */
void output_relieve(void *o);
/* Sets `closed` if the output is a pipe that nobody reads any more. */
void output_check_reader(struct output *o);
/* Appends further output to a file ("" or NULL: the original file again). The buffer must be empty. Returns 0 or
 * -errno. */
int output_redirect(struct output *o, const char *path);
/* Empties the file, if it is a regular file. The buffer must be empty. */
void output_truncate(struct output *o);
/* The exit status that the session has so far: 1 after a failure, or that of exit(). */
int output_status(const struct output *o);
void output_close(struct output *o);

#endif
