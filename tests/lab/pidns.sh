#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a PID name space of its own, with its own /proc
# Not simulated: the other name spaces of a container.
exec unshare --pid --fork --kill-child --mount-proc "$@"
