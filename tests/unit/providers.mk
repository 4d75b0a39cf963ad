# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_providers tests/unit/test_event_names tests/unit/test_provider_texts
TESTS += tests/unit/test_providers tests/unit/test_event_names tests/unit/test_provider_texts
tests_unit_test_providers_SOURCES = tests/unit/test_providers.c
tests_unit_test_providers_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_providers_LDADD = libproviders.a libir.a libbase.a $(CMOCKA_LIBS) $(LIBBPF_LIBS)
tests_unit_test_event_names_SOURCES = tests/unit/test_event_names.c
tests_unit_test_event_names_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_event_names_LDADD = $(tests_unit_test_providers_LDADD)
tests_unit_test_provider_texts_SOURCES = tests/unit/test_provider_texts.c
tests_unit_test_provider_texts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_provider_texts_LDADD = libproviders.a libir.a libbase.a $(CMOCKA_LIBS) $(LIBBPF_LIBS)

check_PROGRAMS += tests/unit/test_tracepoints
TESTS += tests/unit/test_tracepoints
tests_unit_test_tracepoints_SOURCES = tests/unit/test_tracepoints.c
tests_unit_test_tracepoints_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tracepoints_LDADD = $(tests_unit_test_providers_LDADD)

check_PROGRAMS += tests/unit/test_operand
TESTS += tests/unit/test_operand
tests_unit_test_operand_SOURCES = tests/unit/test_operand.c
tests_unit_test_operand_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_operand_LDADD = libproviders.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_fact
TESTS += tests/unit/test_fact
tests_unit_test_fact_SOURCES = tests/unit/test_fact.c
tests_unit_test_fact_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_fact_LDADD = libproviders.a libir.a libbase.a $(CMOCKA_LIBS) $(LIBBPF_LIBS)
