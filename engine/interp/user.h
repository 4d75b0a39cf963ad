/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rootless engine: the interpreter runs the compiled program in this process, on the samples that the user may take
 * (engine/sample/source.h). It uses the same consumer, printer and aggregations as the kernel engine.
 *
 * profile-N fires once per sample of its rate, and tick-N by the source's clock. Both fire in order of time.
 *
 * Ownership: see engine/run/backend.h.
 * Errors: open fails for a probe that this engine does not support, or if no source is available.
 */
#ifndef ENGINE_INTERP_USER_H
#define ENGINE_INTERP_USER_H

#include "engine/run/backend.h"

extern const struct backend_ops backend_user;

#endif
