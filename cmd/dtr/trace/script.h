/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The D script of `dtr trace`, and what its records mean. A record begins with its tag, in the low byte, and for
 * memory the number of the argument above it; then the thread.
 *
 *	TAG_ENTRY	thread, process, arguments (as many as the call has)
 *	TAG_RETURN	thread, process, result
 *	TAG_MEMORY	thread, then a string, or the number of valid bytes and the bytes, several times
 *	TAG_PATH	thread, path, mode and inode of the descriptor in the argument
 *	TAG_EXIT	thread, process, exit code as in wait(2)
 *	TAG_SIGNAL	thread, process, signal, si_code, si_pid, si_uid, si_addr, si_status
 *
 * Ownership: the arena. Errors: NULL after a message.
 */
#ifndef CMD_DTR_TRACE_SCRIPT_H
#define CMD_DTR_TRACE_SCRIPT_H

#include "cmd/dtr/trace/options.h"

enum { TAG_ENTRY, TAG_RETURN, TAG_MEMORY, TAG_PATH, TAG_EXIT, TAG_SIGNAL };
enum { TAG_ARG_SHIFT = 8 };

const char *trace_script(struct trace_options *o);

#endif
