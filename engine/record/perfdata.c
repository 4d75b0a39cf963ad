/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/record/source.h"

const struct source_ops source_perfdata = { .name = "perf.data" };
