#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# hardware breakpoints open and never fire
# Not simulated: programs that are not linked with the C library (they make the call without it), slow page faults.
LD_PRELOAD=$(dirname "$DTR")/tests/lab/nobreak.so${LD_PRELOAD:+:$LD_PRELOAD}
export LD_PRELOAD
exec "$@"
