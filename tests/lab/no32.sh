#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# no 32-bit programs: their system calls end them
# Not simulated: such a machine gives SIGSEGV instead of SIGSYS, and refuses to execute 32-bit files.
exec "$(dirname "$DTR")/tests/lab/refuse" abi32 -- "$@"
