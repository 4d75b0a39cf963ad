# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs with known stacks: position independent, at a fixed address, and a shared object.
CHAIN_CFLAGS = -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-sanitize=all
check_PROGRAMS += tests/symbols/chain tests/symbols/chain-fixed tests/symbols/library.so tests/symbols/paths
tests_symbols_chain_SOURCES = tests/symbols/chain.c
tests_symbols_chain_CFLAGS = $(CHAIN_CFLAGS) -fPIE
tests_symbols_chain_LDFLAGS = -pie
tests_symbols_chain_LDADD = -ldl
tests_symbols_chain_fixed_SOURCES = tests/symbols/chain.c
tests_symbols_chain_fixed_CFLAGS = $(CHAIN_CFLAGS) -fno-pie
tests_symbols_chain_fixed_LDFLAGS = -no-pie
tests_symbols_chain_fixed_LDADD = -ldl
tests_symbols_library_so_SOURCES = tests/symbols/library.c
tests_symbols_library_so_CFLAGS = $(CHAIN_CFLAGS) -fPIC
tests_symbols_library_so_LDFLAGS = -shared
tests_symbols_paths_SOURCES = tests/symbols/paths.c
tests_symbols_paths_CFLAGS = $(CHAIN_CFLAGS)
tests_symbols_paths_LDFLAGS =

# The same without frame pointers, for unwind tables. -debug has them in .debug_frame only, -packed in a compressed one.
UNWOUND_CFLAGS = -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -fno-sanitize=all
UNWOUND = tests/symbols/unwound tests/symbols/unwound-fixed tests/symbols/unwound-static tests/symbols/unwound-debug \
	tests/symbols/unwound-packed
check_PROGRAMS += $(UNWOUND) tests/symbols/unwound-library.so
tests_symbols_unwound_SOURCES = tests/symbols/unwound.c
tests_symbols_unwound_CFLAGS = $(UNWOUND_CFLAGS) -fPIE
tests_symbols_unwound_LDFLAGS = -pie
tests_symbols_unwound_LDADD = -ldl -lpthread
tests_symbols_unwound_fixed_SOURCES = tests/symbols/unwound.c
tests_symbols_unwound_fixed_CFLAGS = $(UNWOUND_CFLAGS) -fno-pie
tests_symbols_unwound_fixed_LDFLAGS = -no-pie
tests_symbols_unwound_fixed_LDADD = -ldl -lpthread
tests_symbols_unwound_static_SOURCES = tests/symbols/unwound.c
tests_symbols_unwound_static_CFLAGS = $(UNWOUND_CFLAGS) -DSTATIC
tests_symbols_unwound_static_LDFLAGS = -static
tests_symbols_unwound_static_LDADD = -lpthread
tests_symbols_unwound_debug_SOURCES = tests/symbols/unwound.c
tests_symbols_unwound_debug_CFLAGS = $(UNWOUND_CFLAGS) -g -fno-asynchronous-unwind-tables -fno-unwind-tables
tests_symbols_unwound_debug_LDFLAGS =
tests_symbols_unwound_debug_LDADD = -ldl -lpthread
tests_symbols_unwound_packed_SOURCES = tests/symbols/unwound.c
tests_symbols_unwound_packed_CFLAGS = $(tests_symbols_unwound_debug_CFLAGS)
tests_symbols_unwound_packed_LDFLAGS = -Wl,--compress-debug-sections=zlib
tests_symbols_unwound_packed_LDADD = -ldl -lpthread
tests_symbols_unwound_library_so_SOURCES = tests/symbols/unwound_library.c
tests_symbols_unwound_library_so_CFLAGS = $(UNWOUND_CFLAGS) -fPIC
tests_symbols_unwound_library_so_LDFLAGS = -shared

# Programs whose addresses change their meaning: plugins at the same address, programs that are linked alike.
REMAP_CFLAGS = -O2 -fno-sanitize=all
PLUGINS = tests/symbols/plugin-alpha.so tests/symbols/plugin-beta.so
STAGES = tests/symbols/stage-one tests/symbols/stage-two tests/symbols/stage-three
check_PROGRAMS += tests/symbols/remap $(PLUGINS) $(STAGES) tests/symbols/stage-pie-one tests/symbols/stage-pie-two
tests_symbols_remap_SOURCES = tests/symbols/remap.c
tests_symbols_remap_CFLAGS = $(REMAP_CFLAGS)
tests_symbols_remap_LDFLAGS =
tests_symbols_remap_LDADD = -ldl
tests_symbols_plugin_alpha_so_SOURCES = tests/symbols/plugin.c
tests_symbols_plugin_alpha_so_CFLAGS = $(REMAP_CFLAGS) -fPIC -DLEAF=alpha_leaf
tests_symbols_plugin_alpha_so_LDFLAGS = -shared
tests_symbols_plugin_beta_so_SOURCES = tests/symbols/plugin.c
tests_symbols_plugin_beta_so_CFLAGS = $(REMAP_CFLAGS) -fPIC -DLEAF=beta_leaf
tests_symbols_plugin_beta_so_LDFLAGS = -shared
tests_symbols_stage_one_SOURCES = tests/symbols/stage.c
tests_symbols_stage_one_CFLAGS = $(REMAP_CFLAGS) -fno-pie -DLOOP=loop_one
tests_symbols_stage_one_LDFLAGS = -static -no-pie
tests_symbols_stage_two_SOURCES = tests/symbols/stage.c
tests_symbols_stage_two_CFLAGS = $(REMAP_CFLAGS) -fno-pie -DLOOP=loop_two
tests_symbols_stage_two_LDFLAGS = -static -no-pie
tests_symbols_stage_three_SOURCES = tests/symbols/stage.c
tests_symbols_stage_three_CFLAGS = $(REMAP_CFLAGS) -fno-pie -DLOOP=loop_three
tests_symbols_stage_three_LDFLAGS = -static -no-pie
tests_symbols_stage_pie_one_SOURCES = tests/symbols/stage.c
tests_symbols_stage_pie_one_CFLAGS = $(REMAP_CFLAGS) -fPIE -DLOOP=loop_one
tests_symbols_stage_pie_one_LDFLAGS = -pie
tests_symbols_stage_pie_two_SOURCES = tests/symbols/stage.c
tests_symbols_stage_pie_two_CFLAGS = $(REMAP_CFLAGS) -fPIE -DLOOP=loop_two
tests_symbols_stage_pie_two_LDFLAGS = -pie
# A program that generates code.
check_PROGRAMS += tests/symbols/jit
tests_symbols_jit_SOURCES = tests/symbols/jit.c
tests_symbols_jit_CFLAGS = $(REMAP_CFLAGS)
tests_symbols_jit_LDFLAGS =
# Programs with inlined functions, and what dtr finds in their debugging information. addr2line cannot read all that
# clang writes as version 5.
INLINED_CFLAGS = -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-sanitize=all
check_PROGRAMS += tests/symbols/inlined tests/symbols/inlined-fixed tests/symbols/where tests/symbols/needed
tests_symbols_needed_SOURCES = tests/symbols/needed.c
tests_symbols_needed_LDADD = libengine.a libbase.a
tests_symbols_inlined_SOURCES = tests/symbols/inlined.c tests/symbols/inlined.h
tests_symbols_inlined_CFLAGS = $(INLINED_CFLAGS) -fPIE -gdwarf-5
tests_symbols_inlined_LDFLAGS = -pie -Wl,--build-id
tests_symbols_inlined_fixed_SOURCES = tests/symbols/inlined.c tests/symbols/inlined.h
tests_symbols_inlined_fixed_CFLAGS = $(INLINED_CFLAGS) -fno-pie -gdwarf-4
tests_symbols_inlined_fixed_LDFLAGS = -no-pie
tests_symbols_where_SOURCES = tests/symbols/where.c
tests_symbols_where_CFLAGS = -g -gdwarf-4 $(AM_CFLAGS)
tests_symbols_where_LDADD = libengine.a libbase.a $(LIBELF_LIBS) $(ZLIB_LIBS) -ldl
TESTS += tests/symbols/symbols.t tests/symbols/unwind.t tests/symbols/remap.t tests/symbols/jit.t \
	tests/symbols/lines.t tests/symbols/hints.t
EXTRA_DIST += tests/symbols/symbols.t tests/symbols/unwind.t tests/symbols/remap.t tests/symbols/jit.t \
	tests/symbols/hints.t tests/symbols/lines.t
TESTS += tests/symbols/jstack.t tests/symbols/marks.t tests/symbols/needed.t tests/symbols/providers.t \
	tests/symbols/shares.t tests/symbols/waits.t
EXTRA_DIST += tests/symbols/waits.t tests/symbols/waits.py tests/symbols/formats.py
EXTRA_DIST += tests/symbols/jstack.t tests/symbols/marks.t tests/symbols/needed.t \
	tests/symbols/interpreted.py tests/symbols/marks.py \
	tests/symbols/providers.py tests/symbols/providers.t tests/symbols/pythons tests/symbols/shares.py \
	tests/symbols/shares.t
TESTS += tests/symbols/nodejs.t
EXTRA_DIST += tests/symbols/nodejs.t tests/symbols/marks.js tests/symbols/shares.js tests/symbols/gone.js

TESTS += tests/symbols/go.t tests/symbols/go_stacks.t tests/symbols/go_args.t tests/symbols/go_goid.t \
	tests/symbols/go_lines.t
EXTRA_DIST += tests/symbols/go.t tests/symbols/go_stacks.t tests/symbols/go_lines.t tests/symbols/golines.go \
	tests/symbols/go_args.t tests/symbols/collect.go tests/symbols/goroutines.go tests/symbols/cgo.go \
	tests/symbols/arguments.go tests/symbols/go_goid.t tests/symbols/goid.go tests/symbols/shares.go

# Programs of many toolchains, which the test compiles.
TESTS += tests/symbols/matrix.t
EXTRA_DIST += tests/symbols/matrix.t tests/symbols/matrix

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_symbols
tests_unit_test_symbols_SOURCES = tests/unit/test_symbols.c tests/lib/symbol_list.c tests/lib/symbol_list.h
tests_unit_test_symbols_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_symbols_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) -ldl
TESTS += tests/unit/test_symbols

check_PROGRAMS += tests/unit/test_demangle
tests_unit_test_demangle_SOURCES = tests/unit/test_demangle.c
tests_unit_test_demangle_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_demangle_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) -ldl
TESTS += tests/unit/test_demangle
check_PROGRAMS += tests/unit/test_unwind
tests_unit_test_unwind_SOURCES = tests/unit/test_unwind.c
tests_unit_test_unwind_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_unwind_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -ldl
TESTS += tests/unit/test_unwind
check_PROGRAMS += tests/unit/test_cfi
tests_unit_test_cfi_SOURCES = tests/unit/test_cfi.c
tests_unit_test_cfi_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_cfi_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_cfi
check_PROGRAMS += tests/unit/test_gotab
tests_unit_test_gotab_SOURCES = tests/unit/test_gotab.c
tests_unit_test_gotab_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gotab_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_gotab
FILEROWS_SOURCES = tests/lib/filerows.c tests/lib/filerows.h tests/lib/random.h
check_PROGRAMS += tests/unit/test_cfi_files
tests_unit_test_cfi_files_SOURCES = tests/unit/test_cfi_files.c $(FILEROWS_SOURCES)
tests_unit_test_cfi_files_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_cfi_files_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -ldl
TESTS += tests/unit/test_cfi_files
# The walker reads words that are not aligned.
WALKER_SOURCES = tests/lib/cfimake.c tests/lib/cfimake.h \
	tests/lib/walker.c tests/lib/walker.h rt/unwind.c rt/unwind_helpers.h
WALKER_CFLAGS = $(AM_CFLAGS) -fno-sanitize=alignment
WALKER_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
WALKER_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -ldl
check_PROGRAMS += tests/unit/test_frame_loader
tests_unit_test_frame_loader_SOURCES = tests/unit/test_frame_loader.c
tests_unit_test_frame_loader_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_frame_loader_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -ldl
TESTS += tests/unit/test_frame_loader
check_PROGRAMS += tests/unit/test_pack
tests_unit_test_pack_SOURCES = tests/unit/test_pack.c $(WALKER_SOURCES) $(FILEROWS_SOURCES)
tests_unit_test_pack_CPPFLAGS = $(WALKER_CPPFLAGS)
tests_unit_test_pack_CFLAGS = $(WALKER_CFLAGS)
tests_unit_test_pack_LDADD = $(WALKER_LDADD)
TESTS += tests/unit/test_pack
check_PROGRAMS += tests/unit/test_walk
tests_unit_test_walk_SOURCES = tests/unit/test_walk.c $(WALKER_SOURCES)
tests_unit_test_walk_CPPFLAGS = $(WALKER_CPPFLAGS)
tests_unit_test_walk_CFLAGS = $(WALKER_CFLAGS)
tests_unit_test_walk_LDADD = $(WALKER_LDADD)
TESTS += tests/unit/test_walk
check_PROGRAMS += tests/unit/test_walk_go
tests_unit_test_walk_go_SOURCES = tests/unit/test_walk_go.c $(WALKER_SOURCES)
tests_unit_test_walk_go_CPPFLAGS = $(WALKER_CPPFLAGS)
tests_unit_test_walk_go_CFLAGS = $(WALKER_CFLAGS)
tests_unit_test_walk_go_LDADD = $(WALKER_LDADD)
TESTS += tests/unit/test_walk_go
check_PROGRAMS += tests/unit/test_callers
tests_unit_test_callers_SOURCES = tests/unit/test_callers.c $(WALKER_SOURCES)
tests_unit_test_callers_CPPFLAGS = $(WALKER_CPPFLAGS)
tests_unit_test_callers_CFLAGS = $(WALKER_CFLAGS)
tests_unit_test_callers_LDADD = $(WALKER_LDADD)
TESTS += tests/unit/test_callers
check_PROGRAMS += tests/unit/test_walk_live
tests_unit_test_walk_live_SOURCES = tests/unit/test_walk_live.c $(WALKER_SOURCES)
tests_unit_test_walk_live_CPPFLAGS = $(WALKER_CPPFLAGS)
tests_unit_test_walk_live_CFLAGS = $(WALKER_CFLAGS)
tests_unit_test_walk_live_LDADD = $(WALKER_LDADD)
TESTS += tests/unit/test_walk_live
check_PROGRAMS += tests/unit/test_unnamed
tests_unit_test_unnamed_SOURCES = tests/unit/test_unnamed.c
tests_unit_test_unnamed_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_unnamed_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_unnamed
check_PROGRAMS += tests/unit/test_jit
tests_unit_test_jit_SOURCES = tests/unit/test_jit.c
tests_unit_test_jit_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_jit_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) -ldl
TESTS += tests/unit/test_jit
check_PROGRAMS += tests/unit/test_jstack
tests_unit_test_jstack_SOURCES = tests/unit/test_jstack.c
tests_unit_test_jstack_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_jstack_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -ldl
TESTS += tests/unit/test_jstack
check_PROGRAMS += tests/unit/test_jstack_merge
tests_unit_test_jstack_merge_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_jstack_merge_LDADD = libengine.a libbase.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_jstack_merge
endif

# Like the file of a kernel that runs at other addresses than those at which it was linked.
check_PROGRAMS += tests/symbols/kernel-like
tests_symbols_kernel_like_SOURCES = tests/symbols/inlined.c tests/symbols/inlined.h
tests_symbols_kernel_like_CFLAGS = $(INLINED_CFLAGS) -fno-pie -gdwarf-4
tests_symbols_kernel_like_LDFLAGS = -no-pie -Wl,--build-id -Wl,--defsym,_stext=main
