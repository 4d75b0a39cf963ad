# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
TESTS += tests/loss/stop.t
EXTRA_DIST += tests/loss/loss.sh tests/loss/stop.t
