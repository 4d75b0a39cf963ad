#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a kernel without type information: /sys/kernel/btf is empty
# Not simulated: the kernel itself has it: programs that need it (tp_btf) load.
# shellcheck disable=SC2016 # the inner shell's
exec unshare --mount sh -c 'mount -t tmpfs -o ro none /sys/kernel/btf && exec "$@"' - "$@"
