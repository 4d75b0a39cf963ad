# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
CONTRIBUTING_TESTS = tests/contributing/contributing.t
TESTS += $(CONTRIBUTING_TESTS)
EXTRA_DIST += $(CONTRIBUTING_TESTS) $(wildcard $(srcdir)/tests/contributing/*.patch)
