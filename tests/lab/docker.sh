#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a container with default rights: Docker's capabilities, bpf() and perf_event_open() give EPERM
# Not simulated: its name spaces, root file system, read-only files in /proc and /sys, limits; the other system calls
# that Docker's default profile refuses.
keep=+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service
keep=$keep,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap
exec "$(dirname "$DTR")/tests/lab/refuse" bpf=EPERM perf_event_open=EPERM -- \
	setpriv --bounding-set="-all,$keep" --inh-caps=-all "$@"
