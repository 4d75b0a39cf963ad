#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# /proc shows the processes of other users to nobody, CAP_SYS_PTRACE is missing
# Not simulated: a user other than root.
# shellcheck disable=SC2016
exec unshare --mount sh -c 'mount -t proc -o hidepid=invisible none /proc && exec "$@"' - \
	setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$@"
