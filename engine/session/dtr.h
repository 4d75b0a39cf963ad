/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The former place of engine/dtr.h. Ownership and errors: as there. */
#ifndef ENGINE_SESSION_DTR_H
#define ENGINE_SESSION_DTR_H

#include "engine/dtr.h"

#endif
