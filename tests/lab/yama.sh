#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# ptrace() is refused, as by Yama with kernel.yama.ptrace_scope=3
# Not simulated: Yama also refuses process_vm_readv() and /proc/PID/mem of other processes in some modes.
exec "$(dirname "$DTR")/tests/lab/refuse" ptrace=EPERM -- "$@"
