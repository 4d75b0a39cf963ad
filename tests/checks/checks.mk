# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
CHECKS_TESTS = tests/checks/cases.t tests/checks/checks.t tests/checks/commands.t tests/checks/debian13.t \
	tests/checks/features.t tests/checks/folders.t tests/checks/hosts.t tests/checks/pages.t tests/checks/runner.t
TESTS += $(CHECKS_TESTS)
EXTRA_DIST += $(CHECKS_TESTS)
EXTRA_DIST += tests/checks/features

check_PROGRAMS += tests/checks/list
tests_checks_list_SOURCES = tests/checks/list.c
tests_checks_list_LDADD = $(DTR_LDADD)
