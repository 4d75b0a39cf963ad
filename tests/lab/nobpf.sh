#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a kernel without BPF: bpf() gives ENOSYS
# Not simulated: files of BPF in /proc, /sys and the BPF file system are there.
exec "$(dirname "$DTR")/tests/lab/refuse" bpf=ENOSYS -- "$@"
