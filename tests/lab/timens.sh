#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a time name space: the monotonic clock and the time since boot are 1,000,000 s ahead
# Not simulated: processes outside of it that a test traces are in the initial one.
exec unshare --time --fork --kill-child --monotonic 1000000 --boottime 1000000 "$@"
