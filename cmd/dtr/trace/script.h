/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The D script of `dtr trace`, and what its records mean. The first word of a record has its tag in the low bits, then
 * the number of the argument (of paths), the process, and the thread. It is followed by:
 *
 *	TAG_ENTRY	the arguments, and memory to which they point (rt/gather.h)
 *	TAG_RETURN	result; memory
 *	TAG_PATH	path, mode and inode of the descriptor in the argument
 *	TAG_EXIT	exit code as in wait(2)
 *	TAG_SIGNAL	signal; 48 bytes of siginfo_t, if there is any
 *
 * Ownership: the arena. Errors: NULL after a message.
 */
#ifndef CMD_DTR_TRACE_SCRIPT_H
#define CMD_DTR_TRACE_SCRIPT_H

#include "cmd/dtr/trace/options.h"

enum { TAG_ENTRY, TAG_RETURN, TAG_PATH, TAG_EXIT, TAG_SIGNAL };
/* The first word. Process and thread IDs are below 2^22 (PID_MAX_LIMIT, linux/threads.h). */
enum {
	TAG_ARG_SHIFT = 4, TAG_ARG_BITS = 4, TAG_PROCESS_SHIFT = 10, TAG_THREAD_SHIFT = 32,
	TAG_ID_BITS = 22,
};

/* Bytes of paths and of the words of a command, with their NUL. */
enum { TRACE_PATH = 1024, TRACE_WORD = 128 };

const char *trace_script(struct trace_options *o);

#endif
