#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a privileged container of podman, on an overlay of this system's files
# Not simulated: other files than this system's.
RIGHTS=--privileged exec sh "${0%/*}/podman.sh" "$@"
