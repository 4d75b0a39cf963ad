/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls that must not be interrupted by the end of this process. A kernel that places or removes breakpoints in
 * another process gives up when the caller is killed, and leaves them there. So the calls are made by a helper
 * process that shares memory and descriptors with this one: it ends by itself when it has finished.
 *
 * Errors: none of its own. If no helper can be started, the function runs in this process.
 */
#ifndef BASE_SHIELD_H
#define BASE_SHIELD_H

/*
 * Runs `fn` with `arg` in the helper, while the calling thread waits and its signals are blocked. Returns what `fn`
 * returns; -EINTR if the helper was killed. `fn` must return, and must not start threads.
 */
int shield_run(int (*fn)(void *arg), void *arg);

#endif
