#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a kernel without perf events: perf_event_open() gives ENOSYS
# Not simulated: files of perf events in /proc and /sys are there.
exec "$(dirname "$DTR")/tests/lab/refuse" perf_event_open=ENOSYS -- "$@"
