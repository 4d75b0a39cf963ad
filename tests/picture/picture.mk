# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/picture/browser
tests_picture_browser_SOURCES = tests/picture/browser.c
tests_picture_browser_LDADD = libbase.a
TESTS += tests/picture/page.t
EXTRA_DIST += tests/picture/page.t
