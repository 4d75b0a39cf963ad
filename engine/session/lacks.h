/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports at the end of a session which data was not available: symbols, samples, stacks.
 * Ownership: nothing is kept. Errors: none; what makes the session fail sets t->failed.
 */
#ifndef ENGINE_SESSION_LACKS_H
#define ENGINE_SESSION_LACKS_H

struct dtr;

void lacks_tell(struct dtr *t);

#endif
