# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
CHECKS_TESTS = tests/checks/checks.t
TESTS += $(CHECKS_TESTS)
EXTRA_DIST += $(CHECKS_TESTS)
