# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/golden/run
TESTS += tests/golden/run
tests_golden_run_SOURCES = tests/golden/run.c tests/lib/cases.c tests/lib/cases.h \
	tests/lib/jsoncheck.c tests/lib/jsoncheck.h \
	tests/lib/profile.c tests/lib/profile.h
tests_golden_run_LDADD = tests/lib/libreplay.a $(DTR_LDADD)
# Files by pattern, not the folder, which after a build also contains objects.
EXTRA_DIST += $(srcdir)/tests/golden/cases.txt
EXTRA_DIST += $(wildcard $(srcdir)/tests/golden/*.d $(srcdir)/tests/golden/*.ev $(srcdir)/tests/golden/*.out \
	$(srcdir)/tests/golden/*.err $(srcdir)/tests/golden/*.args $(srcdir)/tests/golden/*.json) \
	$(wildcard $(srcdir)/tests/golden/*.folded $(srcdir)/tests/golden/*.speedscope $(srcdir)/tests/golden/*.pprof \
	$(srcdir)/tests/golden/*.html $(srcdir)/tests/golden/*.picerr)
check_PROGRAMS += tests/lib/jsonlines
tests_lib_jsonlines_SOURCES = tests/lib/jsonlines.c tests/lib/jsoncheck.c tests/lib/jsoncheck.h
tests_lib_jsonlines_LDADD = libbase.a
check_PROGRAMS += tests/lib/profileshow
tests_lib_profileshow_SOURCES = tests/lib/profileshow.c tests/lib/profile.c tests/lib/profile.h
tests_lib_profileshow_LDADD = libbase.a -lz
check_PROGRAMS += tests/lib/casefiles
tests_lib_casefiles_SOURCES = tests/lib/casefiles.c tests/lib/cases.c tests/lib/cases.h
tests_lib_casefiles_LDADD = libbase.a
