#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a user name space: root there, nobody outside
# Not simulated: other IDs than root's are not mapped.
exec unshare --user --map-root-user "$@"
