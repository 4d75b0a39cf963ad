/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The D script of `dtr trace`, and what its records mean. The first word of a record is its tag, in the low byte, for
 * memory and paths the number of the argument above it, and the thread in the high half. It is followed by:
 *
 *	TAG_ENTRY	process, arguments (at least as many as the call has)
 *	TAG_RETURN	process, result
 *	TAG_MEMORY	a string, or the number of valid bytes and the bytes, several times; with TAG_MORE_SHIFT it
 *			continues the memory of the argument
 *	TAG_PATH	path, mode and inode of the descriptor in the argument
 *	TAG_EXIT	process, exit code as in wait(2)
 *	TAG_SIGNAL	process, signal, si_code, si_pid, si_uid, si_addr, si_status, value, whether there is siginfo
 *
 * Ownership: the arena. Errors: NULL after a message.
 */
#ifndef CMD_DTR_TRACE_SCRIPT_H
#define CMD_DTR_TRACE_SCRIPT_H

#include "cmd/dtr/trace/options.h"

enum { TAG_ENTRY, TAG_RETURN, TAG_MEMORY, TAG_PATH, TAG_EXIT, TAG_SIGNAL };
enum { TAG_ARG_SHIFT = 8, TAG_MORE_SHIFT = 16, TAG_THREAD_SHIFT = 32 };

const char *trace_script(struct trace_options *o);

#endif
