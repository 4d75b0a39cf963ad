# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Two programs per target: rerun_NAME runs kept inputs in every check, fuzz_NAME is the libFuzzer program (./dev fuzz).
fuzz_common = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
fuzz_driver = tests/fuzz/rerun.c tests/fuzz/inputs.c tests/fuzz/inputs.h $(fuzz_common)
fuzz_dtext = tests/fuzz/dtext.c tests/fuzz/dtext.h tests/fuzz/btf_small.c tests/lib/dcheck.c tests/lib/dcheck.h
fuzz_irsame = tests/fuzz/irsame.c tests/fuzz/irsame.h tests/ir/world.c tests/ir/world.h
fuzz_parse = tests/fuzz/parse.c $(fuzz_dtext)
fuzz_check = tests/fuzz/check.c $(fuzz_dtext) $(fuzz_irsame)
fuzz_ir = tests/fuzz/ir.c $(fuzz_irsame)
fuzz_codegen = tests/fuzz/codegen.c
fuzz_printf = tests/fuzz/printf.c
fuzz_events = tests/fuzz/events.c tests/fuzz/btf_small.c tests/lib/jsoncheck.c tests/lib/jsoncheck.h
fuzz_record = tests/fuzz/record.c tests/fuzz/btf_small.c
fuzz_btf = tests/fuzz/btf.c $(fuzz_dtext)
fuzz_elf = tests/fuzz/elf.c
fuzz_unwind = tests/fuzz/unwind.c
fuzz_cfi = tests/fuzz/cfi.c
fuzz_packed = tests/fuzz/packed.c tests/lib/cfimake.c tests/lib/cfimake.h
fuzz_gotable = tests/fuzz/gotable.c
fuzz_jit = tests/fuzz/jit.c
fuzz_python = tests/fuzz/python.c
fuzz_javascript = tests/fuzz/javascript.c
fuzz_notes = tests/fuzz/notes.c
fuzz_operand = tests/fuzz/operand.c
fuzz_options = tests/fuzz/options.c $(fuzz_dtext)
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer

check_PROGRAMS += tests/fuzz/pack
tests_fuzz_pack_SOURCES = tests/fuzz/pack.c tests/fuzz/inputs.c tests/fuzz/inputs.h
tests_fuzz_pack_LDADD = libbase.a
EXTRA_PROGRAMS =

check_PROGRAMS += tests/fuzz/rerun_parse
tests_fuzz_rerun_parse_SOURCES = $(fuzz_driver) $(fuzz_parse)
tests_fuzz_rerun_parse_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_parse
tests_fuzz_fuzz_parse_SOURCES = $(fuzz_common) $(fuzz_parse) tests/fuzz/mutate.c
tests_fuzz_fuzz_parse_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_parse_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_check
tests_fuzz_rerun_check_SOURCES = $(fuzz_driver) $(fuzz_check)
tests_fuzz_rerun_check_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_check
tests_fuzz_fuzz_check_SOURCES = $(fuzz_common) $(fuzz_check) tests/fuzz/mutate.c
tests_fuzz_fuzz_check_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_check_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_ir
tests_fuzz_rerun_ir_SOURCES = $(fuzz_driver) $(fuzz_ir)
tests_fuzz_rerun_ir_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_ir
tests_fuzz_fuzz_ir_SOURCES = $(fuzz_common) $(fuzz_ir) tests/fuzz/mutate.c
tests_fuzz_fuzz_ir_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_ir_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_codegen
tests_fuzz_rerun_codegen_SOURCES = $(fuzz_driver) $(fuzz_codegen)
tests_fuzz_rerun_codegen_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_codegen
tests_fuzz_fuzz_codegen_SOURCES = $(fuzz_common) $(fuzz_codegen) tests/fuzz/mutate.c
tests_fuzz_fuzz_codegen_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_codegen_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_printf
tests_fuzz_rerun_printf_SOURCES = $(fuzz_driver) $(fuzz_printf)
tests_fuzz_rerun_printf_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_printf
tests_fuzz_fuzz_printf_SOURCES = $(fuzz_common) $(fuzz_printf)
tests_fuzz_fuzz_printf_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_printf_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_events
tests_fuzz_rerun_events_SOURCES = $(fuzz_driver) $(fuzz_events)
tests_fuzz_rerun_events_LDADD = tests/lib/libreplay.a $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_events
tests_fuzz_fuzz_events_SOURCES = $(fuzz_common) $(fuzz_events) tests/fuzz/mutate.c
tests_fuzz_fuzz_events_LDADD = tests/lib/libreplay.a $(DTR_LDADD)
tests_fuzz_fuzz_events_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_btf
tests_fuzz_rerun_btf_SOURCES = $(fuzz_driver) $(fuzz_btf)
tests_fuzz_rerun_btf_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_btf
tests_fuzz_fuzz_btf_SOURCES = $(fuzz_common) $(fuzz_btf)
tests_fuzz_fuzz_btf_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_btf_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_unwind
tests_fuzz_rerun_unwind_SOURCES = $(fuzz_driver) $(fuzz_unwind)
tests_fuzz_rerun_unwind_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_unwind
tests_fuzz_fuzz_unwind_SOURCES = $(fuzz_common) $(fuzz_unwind)
tests_fuzz_fuzz_unwind_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_unwind_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_cfi
tests_fuzz_rerun_cfi_SOURCES = $(fuzz_driver) $(fuzz_cfi)
tests_fuzz_rerun_cfi_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_cfi
tests_fuzz_fuzz_cfi_SOURCES = $(fuzz_common) $(fuzz_cfi)
tests_fuzz_fuzz_cfi_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_cfi_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_packed
tests_fuzz_rerun_packed_SOURCES = $(fuzz_driver) $(fuzz_packed)
tests_fuzz_rerun_packed_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_packed
tests_fuzz_fuzz_packed_SOURCES = $(fuzz_common) $(fuzz_packed)
tests_fuzz_fuzz_packed_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_packed_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_python
tests_fuzz_rerun_python_SOURCES = $(fuzz_driver) $(fuzz_python)
tests_fuzz_rerun_python_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_python
tests_fuzz_fuzz_python_SOURCES = $(fuzz_common) $(fuzz_python)
tests_fuzz_fuzz_python_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_python_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_javascript
tests_fuzz_rerun_javascript_SOURCES = $(fuzz_driver) $(fuzz_javascript)
tests_fuzz_rerun_javascript_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_javascript
tests_fuzz_fuzz_javascript_SOURCES = $(fuzz_common) $(fuzz_javascript)
tests_fuzz_fuzz_javascript_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_javascript_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_elf
tests_fuzz_rerun_elf_SOURCES = $(fuzz_driver) $(fuzz_elf)
tests_fuzz_rerun_elf_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_elf
tests_fuzz_fuzz_elf_SOURCES = $(fuzz_common) $(fuzz_elf)
tests_fuzz_fuzz_elf_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_elf_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_gotable
tests_fuzz_rerun_gotable_SOURCES = $(fuzz_driver) $(fuzz_gotable)
tests_fuzz_rerun_gotable_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_gotable
tests_fuzz_fuzz_gotable_SOURCES = $(fuzz_common) $(fuzz_gotable)
tests_fuzz_fuzz_gotable_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_gotable_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_jit
tests_fuzz_rerun_jit_SOURCES = $(fuzz_driver) $(fuzz_jit)
tests_fuzz_rerun_jit_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_jit
tests_fuzz_fuzz_jit_SOURCES = $(fuzz_common) $(fuzz_jit)
tests_fuzz_fuzz_jit_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_jit_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_notes
tests_fuzz_rerun_notes_SOURCES = $(fuzz_driver) $(fuzz_notes)
tests_fuzz_rerun_notes_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_notes
tests_fuzz_fuzz_notes_SOURCES = $(fuzz_common) $(fuzz_notes)
tests_fuzz_fuzz_notes_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_notes_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_operand
tests_fuzz_rerun_operand_SOURCES = $(fuzz_driver) $(fuzz_operand)
tests_fuzz_rerun_operand_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_operand
tests_fuzz_fuzz_operand_SOURCES = $(fuzz_common) $(fuzz_operand)
tests_fuzz_fuzz_operand_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_operand_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_options
tests_fuzz_rerun_options_SOURCES = $(fuzz_driver) $(fuzz_options)
tests_fuzz_rerun_options_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_options
tests_fuzz_fuzz_options_SOURCES = $(fuzz_common) $(fuzz_options) tests/fuzz/mutate.c
tests_fuzz_fuzz_options_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_options_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_record
tests_fuzz_rerun_record_SOURCES = $(fuzz_driver) $(fuzz_record)
tests_fuzz_rerun_record_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_record
tests_fuzz_fuzz_record_SOURCES = $(fuzz_common) $(fuzz_record)
tests_fuzz_fuzz_record_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_record_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/rerun_saved
tests_fuzz_rerun_saved_SOURCES = $(fuzz_driver) tests/fuzz/saved.c
tests_fuzz_rerun_saved_LDADD = $(DTR_LDADD)
EXTRA_PROGRAMS += tests/fuzz/fuzz_saved
tests_fuzz_fuzz_saved_SOURCES = $(fuzz_common) tests/fuzz/saved.c
tests_fuzz_fuzz_saved_LDADD = $(DTR_LDADD)
tests_fuzz_fuzz_saved_LDFLAGS = $(fuzz_ldflags)

check_PROGRAMS += tests/fuzz/record_seed
tests_fuzz_record_seed_SOURCES = tests/fuzz/record_seed.c tests/lib/perfmake.c tests/lib/perfmake.h
tests_fuzz_record_seed_LDADD = libengine.a libbase.a $(ZLIB_LIBS)

check_PROGRAMS += tests/fuzz/btf_seed
tests_fuzz_btf_seed_SOURCES = tests/fuzz/btf_seed.c tests/fuzz/btf_small.c $(fuzz_common)
tests_fuzz_btf_seed_LDADD = libbase.a $(LIBBPF_LIBS)

check_PROGRAMS += tests/fuzz/repeat
tests_fuzz_repeat_SOURCES = tests/fuzz/repeat.c

TESTS += tests/fuzz/rerun.t tests/fuzz/hostile.t
EXTRA_DIST += tests/fuzz/rerun.t tests/fuzz/hostile.t tests/fuzz/seeds tests/fuzz/run tests/fuzz/targets \
	tests/fuzz/hand/d.txt \
	tests/fuzz/hand/ir.txt tests/fuzz/hand/events $(wildcard $(srcdir)/tests/fuzz/corpus/*.txt \
	$(srcdir)/tests/fuzz/found/*.txt)
