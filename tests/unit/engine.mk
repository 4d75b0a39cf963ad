# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_options
TESTS += tests/unit/test_options
tests_unit_test_options_SOURCES = tests/unit/test_options.c
tests_unit_test_options_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_options_LDADD = libengine.a libproviders.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_child
TESTS += tests/unit/test_child
tests_unit_test_child_SOURCES = tests/unit/test_child.c cmd/dtr/child.c cmd/dtr/program.c cmd/dtr/stack.c
tests_unit_test_child_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_child_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_top
TESTS += tests/unit/test_top
tests_unit_test_top_SOURCES = tests/unit/test_top.c cmd/dtr/top/draw.c cmd/dtr/top/keys.c cmd/dtr/top/order.c \
	cmd/dtr/top/page.c cmd/dtr/top/stacks.c cmd/dtr/top/table.c cmd/dtr/top/view.c
tests_unit_test_top_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_top_LDADD = libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_stat
TESTS += tests/unit/test_stat
tests_unit_test_stat_SOURCES = tests/unit/test_stat.c cmd/dtr/stat/derive.c cmd/dtr/stat/print.c
tests_unit_test_stat_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_stat_LDADD = libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_flow
TESTS += tests/unit/test_flow
tests_unit_test_flow_SOURCES = tests/unit/test_flow.c
tests_unit_test_flow_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_flow_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_chart
TESTS += tests/unit/test_chart
tests_unit_test_chart_SOURCES = tests/unit/test_chart.c
tests_unit_test_chart_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_chart_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_progress
TESTS += tests/unit/test_progress
tests_unit_test_progress_SOURCES = tests/unit/test_progress.c
tests_unit_test_progress_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_progress_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_queue
TESTS += tests/unit/test_queue
tests_unit_test_queue_SOURCES = tests/unit/test_queue.c tests/lib/random.h
tests_unit_test_queue_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_queue_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_idle
TESTS += tests/unit/test_idle
tests_unit_test_idle_SOURCES = tests/unit/test_idle.c
tests_unit_test_idle_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_idle_LDADD = tests/lib/libreplay.a $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_perf_ring
TESTS += tests/unit/test_perf_ring
tests_unit_test_perf_ring_SOURCES = tests/unit/test_perf_ring.c
tests_unit_test_perf_ring_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_perf_ring_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_captures
TESTS += tests/unit/test_captures
tests_unit_test_captures_SOURCES = tests/unit/test_captures.c
tests_unit_test_captures_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_captures_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_derived
TESTS += tests/unit/test_derived
tests_unit_test_derived_SOURCES = tests/unit/test_derived.c
tests_unit_test_derived_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_derived_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_user_account
TESTS += tests/unit/test_user_account
tests_unit_test_user_account_SOURCES = tests/unit/test_user_account.c
tests_unit_test_user_account_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_user_account_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_events
TESTS += tests/unit/test_events
tests_unit_test_events_SOURCES = tests/unit/test_events.c
tests_unit_test_events_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_events_LDADD = tests/lib/libreplay.a $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_store
TESTS += tests/unit/test_store
tests_unit_test_store_SOURCES = tests/unit/test_store.c
tests_unit_test_store_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_store_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_owner
TESTS += tests/unit/test_owner
tests_unit_test_owner_SOURCES = tests/unit/test_owner.c tests/lib/dworld.c tests/lib/dworld.h tests/lib/options.h
tests_unit_test_owner_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_owner_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_texts
TESTS += tests/unit/test_texts
tests_unit_test_texts_SOURCES = tests/unit/test_texts.c
tests_unit_test_texts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_texts_LDADD = libengine.a libir.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_ended
TESTS += tests/unit/test_ended
tests_unit_test_ended_SOURCES = tests/unit/test_ended.c
tests_unit_test_ended_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_ended_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_spaces
TESTS += tests/unit/test_spaces
tests_unit_test_spaces_SOURCES = tests/unit/test_spaces.c tests/unit/linear_spaces.h
tests_unit_test_spaces_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_spaces_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_steps
TESTS += tests/unit/test_steps
tests_unit_test_steps_SOURCES = tests/unit/test_steps.c
tests_unit_test_steps_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_steps_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_notes
TESTS += tests/unit/test_notes
tests_unit_test_notes_SOURCES = tests/unit/test_notes.c
tests_unit_test_notes_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_notes_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_gmon
TESTS += tests/unit/test_gmon
tests_unit_test_gmon_SOURCES = tests/unit/test_gmon.c
tests_unit_test_gmon_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_gmon_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_gmon_object
TESTS += tests/unit/test_gmon_object
tests_unit_test_gmon_object_SOURCES = tests/unit/test_gmon_object.c tests/lib/symbol_list.c tests/lib/symbol_list.h
tests_unit_test_gmon_object_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_gmon_object_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_shares
TESTS += tests/unit/test_shares
tests_unit_test_shares_SOURCES = tests/unit/test_shares.c tests/lib/symbol_list.c tests/lib/symbol_list.h
tests_unit_test_shares_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_shares_LDADD = tests/lib/libreplay.a $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_vmlinux
TESTS += tests/unit/test_vmlinux
tests_unit_test_vmlinux_SOURCES = tests/unit/test_vmlinux.c tests/lib/symbol_list.c tests/lib/symbol_list.h
tests_unit_test_vmlinux_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_vmlinux_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_profil
TESTS += tests/unit/test_profil
tests_unit_test_profil_SOURCES = tests/unit/test_profil.c
tests_unit_test_profil_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_profil_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_snapshot
TESTS += tests/unit/test_snapshot
tests_unit_test_snapshot_SOURCES = tests/unit/test_snapshot.c tests/lib/snapshots.c tests/lib/snapshots.h
tests_unit_test_snapshot_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_snapshot_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_task_types
TESTS += tests/unit/test_task_types
tests_unit_test_task_types_SOURCES = tests/unit/test_task_types.c
tests_unit_test_task_types_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_task_types_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_containers
TESTS += tests/unit/test_containers
tests_unit_test_containers_SOURCES = tests/unit/test_containers.c
tests_unit_test_containers_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_containers_LDADD = libengine.a libir.a libbase.a $(CMOCKA_LIBS)
