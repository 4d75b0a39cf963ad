#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a slow machine: another process takes half of the CPU time, and now and then all of it for half a second
# Not simulated: expensive page faults and calls, the time that a hypervisor takes.
exec "$(dirname "$DTR")/tests/lab/slow" "$@"
