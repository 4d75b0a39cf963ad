# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
TESTS += tests/libdtr/libdtr.t
EXTRA_DIST += tests/libdtr/libdtr.t
