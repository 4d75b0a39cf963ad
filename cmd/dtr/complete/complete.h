/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr --complete WORD... LAST`: how a shell can complete the last word of a command line. The other words are those
 * before it, without the name of the command and without quotes. share/completion/ has the shells' parts.
 *
 * Probes are listed by `dtr -l` with a pattern, once: 5 to 22 ms of CPU time on Linux 6.18. A part of the
 * name of a function of fbt takes as long as reading the kernel's symbols does.
 *
 * Each line on standard output is a candidate, a tab, and a description. A line that begins with a tab asks the shell
 * for names of its own: "\tfiles", "\tcommands".
 *
 * Ownership: the arena. Errors: where nothing is known, nothing is printed. If memory or processes are missing, a
 * message is printed instead of a part of the candidates; the shells discard it.
 */
#ifndef CMD_DTR_COMPLETE_COMPLETE_H
#define CMD_DTR_COMPLETE_COMPLETE_H

#include "base/arena.h"
#include "base/buf.h"

/* Returns 0, or -1 after a message. */
int complete_main(struct arena *a, const char *share, const char *prog, int nwords, char **words);

/* Appends a candidate, if it begins with `prefix`. text: its description, or "". */
void complete_offer(struct buf *out, const char *prefix, const char *candidate, const char *text);
/* Appends the probe descriptions that begin with `prefix`, up to the next colon. */
void complete_probes(struct buf *out, struct arena *a, const char *prefix);
/* Runs dtr with these arguments (NULL at the end) and appends its standard output. If that is not possible, `out` is
 * marked as failed. */
void complete_run(struct buf *out, const char *const *arguments);

#endif
