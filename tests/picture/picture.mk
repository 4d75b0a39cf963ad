# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/picture/browser
tests_picture_browser_SOURCES = tests/picture/browser.c
tests_picture_browser_LDADD = libbase.a
TESTS += tests/picture/page.t
EXTRA_DIST += tests/picture/page.t
check_PROGRAMS += tests/picture/deep
tests_picture_deep_SOURCES = tests/picture/deep.c
tests_picture_deep_CFLAGS = -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-sanitize=all
tests_picture_deep_LDFLAGS =
TESTS += tests/picture/cut.t tests/picture/compare.t
EXTRA_DIST += tests/picture/cut.t tests/picture/compare.t
