/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The states of threads that share/tools/why.d counts, as numbers: cause << 24 | detail << 16 | call + 1.
 *
 * A state belongs to a class, the columns of the table. What makes a thread wait is certain (EXACT: the kernel or the
 * call leaves no other possibility), INFERRED from the system call, or UNKNOWN.
 *
 * Ownership: all is constant. Errors: none; a number that the script does not make is UNKNOWN.
 */
#ifndef CMD_DTR_WHY_STATE_H
#define CMD_DTR_WHY_STATE_H

#include <stdint.h>

#include "base/buf.h"

enum why_class {
#define CLASS(name, title, text) WHY_##name,
#include "cmd/dtr/why/classes.def"
#undef CLASS
	WHY_CLASSES,
};

enum why_certainty { WHY_EXACT, WHY_INFERRED, WHY_UNKNOWN };

struct why_state {
	enum why_class class;
	enum why_certainty certainty;
	int call;			/* number of the system call; -1: none */
};

/* The state of a thread before its first event, of which only the command knows something. */
#define WHY_BEFORE 0x7f000000u
/* In a state: the call is the one that the thread was in before that. */
#define WHY_CALL_BEFORE 0xfffeu

struct why_state why_state(uint32_t number);
/* The state in which a thread is blocked. call: -1: none (a page fault); args: its first arguments; type: of the file
 * whose descriptor is the first argument (S_IFMT >> 12), 0: none. */
uint32_t why_blocked(int call, const uint64_t args[3], unsigned type);
/* The column's title ("LOCK"); the name in sentences and JSON ("lock"). */
const char *why_class_title(enum why_class c);
const char *why_class_name(enum why_class c);
const char *why_certainty_name(enum why_certainty c);
/* Appends what the thread does: "user code", "lock, in futex". */
void why_state_text(struct buf *out, const struct why_state *s);
/* The name of a system call; NULL: unknown. */
const char *why_call_name(int call);
/* Appends the declarations that the script needs: numbers of calls, and where their arguments are. */
void why_declare(struct buf *out);

#endif
