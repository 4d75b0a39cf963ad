/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The recording engine: the interpreter runs the compiled program on the samples in a file (`dtr -r`). Time and machine
 * are those of the recording, so every run gives the same output.
 *
 * Ownership: see engine/run/backend.h. backend_args.input points to a struct recording_file that record_source has
 * opened; the caller owns it.
 * Errors: open fails for a program that needs data which was not recorded.
 */
#ifndef ENGINE_INTERP_RECORDING_H
#define ENGINE_INTERP_RECORDING_H

#include "engine/run/backend.h"

extern const struct backend_ops backend_recording;

#endif
