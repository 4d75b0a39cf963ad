#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# 64 open files, 256 MB of address space
# Not simulated: a machine whose memory is used up.
exec prlimit --nofile=64 --as=268435456 "$@"
