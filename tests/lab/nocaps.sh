#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# root without any capability
# Not simulated: a program with file capabilities gets none here, but would where the bounding set is larger.
exec setpriv --bounding-set=-all --inh-caps=-all "$@"
