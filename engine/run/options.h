/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options: -x name=value, #pragma D option, DTR_OPT_NAME. The rows are in options.def.
 * Ownership: strings are the caller's. Errors: option_set and options_from_env return -1 with a sentence in reason[n].
 */
#ifndef ENGINE_RUN_OPTIONS_H
#define ENGINE_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregation/agg.h"
#include "base/buf.h"
#include "lang/options.h"

enum ledger_mode { LEDGER_WARN, LEDGER_OFF, LEDGER_ON, LEDGER_CPU };

enum buf_policy { BUF_SWITCH, BUF_FILL, BUF_RING };
enum engine_choice { ENGINE_AUTO, ENGINE_BPF, ENGINE_USER };
enum unwind_choice { UNWIND_AUTO, UNWIND_TABLES, UNWIND_FP };
enum shares_mode { SHARES_OFF, SHARES_ALL, SHARES_GROUP };
enum eval_time { EVAL_AUTO, EVAL_EXEC, EVAL_PREINIT, EVAL_POSTINIT, EVAL_MAIN };
enum buf_resize { RESIZE_AUTO, RESIZE_MANUAL };
enum stdc_mode { STDC_A, STDC_C, STDC_S, STDC_T };	/* -X */

/* The highest version of D that scripts can request. */
enum { D_MAJOR = 2, D_MINOR = 0 };

enum { OPT_LIST_MAX = 128 };
#define OPTIONS_MOST 256		/* rows of the table */

struct opt_list {
	const char *v[OPT_LIST_MAX];
	unsigned n;
};

/* -x color: of diagnostics. */
enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	uint64_t given[OPTIONS_MOST / 64];	/* bit i: row i of the table was set */
	struct d_options d;	/* options that the compiler reads, too */
	const char *hierarchy;	/* of control groups: NULL: cgroup_hierarchy_find decides */
	uint64_t bufsize;	/* bytes of each CPU's record ring */
	bool cutmark;		/* strings that were cut are marked */
	uint64_t bufqueue;	/* bytes of records in this process, while others are printed */
	uint64_t dynvarsize;	/* bytes for each associative array */
	uint64_t aggtable;	/* bytes of a CPU's row table of an aggregation */
	uint64_t vartable;	/* bytes of the table of an associative array or of the thread-local variables */
	uint64_t switchrate;	/* ns between two readings of the buffers */
	uint64_t statusrate;	/* ns between two checks for drops and CPUs */
	uint64_t cleanrate;	/* ns: the longest wait for records in a script with speculations */
	unsigned bufpolicy;	/* enum buf_policy */
	unsigned bufresize;	/* enum buf_resize */
	unsigned stackindent;	/* spaces before each frame */
	uint64_t maxcost;	/* millionths of all CPUs' time; 0: no limit */
	bool stackinline, stacklines;	/* show inlined functions, source lines */
	bool quiet, errtags, droptags, cost;
	uint64_t ledger;	/* enum ledger_mode */
	unsigned color;		/* enum color_choice */
	unsigned output;	/* -O: a row of engine/run/formats.def, from 0 */
	unsigned engine;	/* enum engine_choice */
	unsigned unwind;	/* enum unwind_choice */
	unsigned shares;	/* enum shares_mode */
	bool interval;
	uint64_t unwindtables;	/* bytes */
	uint64_t unwindsize;	/* bytes of each stack */
	struct agg_order order;	/* aggsortkey aggsortrev aggsortpos aggsortkeypos aggsortonly */
	const char *clock_source;	/* profsrc: what drives probes that fire by the clock; NULL: the default */
	bool aggadd;
	const char *aggprobes;	/* names separated by commas, or NULL */
	const char *aggsave;	/* a file, or NULL */
	uint64_t aggsaverate;	/* ns; 0: only at the end */
	unsigned aggsavekeep;	/* number of earlier versions */
	unsigned maxseries;		/* of -O openmetrics */
	const char *gmonaddresses, *gmonfile, *gmonobjects;	/* of -O gmon; or NULL */
	struct {
		const char *scale, *offset;	/* or NULL */
		uint64_t cells;			/* 0: up to the end of the code */
		unsigned bits;			/* 0: 32, 1: 16 */
		bool raw;
	} profil;			/* of -O profil */
	unsigned every_fault;	/* faults: 1: all */
	bool flowindent, quietresize, rawbytes, noresolve;
	/* the preprocessor: -C -H -D -U -I -X */
	bool cpp, cpphdrs;
	const char *cpppath;
	struct opt_list define, undef, incdir, cppargs;
	struct opt_list sourcedir;	/* of -O annotated */
	unsigned stdc;		/* enum stdc_mode */
	/* libraries of D */
	bool nolibs;
	const char *syslibdir;	/* replaces the directory of prelude.d */
	struct opt_list libdir;
	unsigned evaltime;	/* enum eval_time */
	bool needpc;		/* samples without program counters are an error */
};

void options_init(struct options *o);

/* Whether the option at this offset was set, by whatever value. */
bool options_given(const struct options *o, size_t offset);
/* Sets one option; `value` NULL means "on". Sizes take the suffixes k m g t, rates hz ns us ms s m h d (a rate
 * without suffix is in hz, as in DTrace). Returns 0, or -1 with the reason in reason[n]. For an unknown name, the
 * reason suggests the nearest option. */
int option_set(struct options *o, const char *name, const char *value, char *reason, size_t n);

/* Calls option_set for each DTR_OPT_NAME=value in the environment. Returns 0, or -1 with the reason in reason[n]. */
int options_from_env(struct options *o, char **environ_, char *reason, size_t n);

/* The names of the output formats for -O: "text, json, ...". */
const char *options_formats(void);

/* The values of an option that takes one of a few words, ended by NULL; NULL if it is another option. */
const char *const *options_words(const char *name);

/* Option number i of those that have an effect: its name, its text in the help, and whether its name alone turns it on.
 * False: there are fewer. */
bool options_row(unsigned i, const char **name, const char **text, bool *is_switch);

/* "name  default  description", one line each, for --help and the docs. */
void options_help(struct buf *out);

#endif
