/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of the command itself on standard error.
 *
 * Ownership: plain data. Errors: without memory the message is lost.
 */
#ifndef CMD_DTR_SAY_H
#define CMD_DTR_SAY_H

/* Like printf, with terminal control characters escaped (ESCAPE_TEXT). */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
