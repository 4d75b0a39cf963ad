#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# without /sys
# Not simulated: everything else that a small container lacks.
# shellcheck disable=SC2016
exec unshare --mount sh -c 'mount -t tmpfs -o ro none /sys && exec "$@"' - "$@"
