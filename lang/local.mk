# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += liblang.a
liblang_a_SOURCES = \
	lang/action.def \
	lang/ast.h \
	lang/btf.c \
	lang/btf.h \
	lang/builtin.def \
	lang/check.c \
	lang/check.h \
	lang/check_agg.c \
	lang/check_assign.c \
	lang/check_binary.c \
	lang/check_call.c \
	lang/check_conv.c \
	lang/check_expr.c \
	lang/check_key.c \
	lang/check_mem.c \
	lang/check_name.c \
	lang/check_print.c \
	lang/check_var.c \
	lang/check_xlate.c \
	lang/checker.h \
	lang/clause.c \
	lang/compile.h \
	lang/const.c \
	lang/decl.c \
	lang/decl.h \
	lang/declare.c \
	lang/dump.c \
	lang/fold.c \
	lang/func.c \
	lang/func.def \
	lang/func.h \
	lang/func_misc.c \
	lang/format.c \
	lang/format.h \
	lang/gram.y \
	lang/later.def \
	lang/lex.l \
	lang/literal.c \
	lang/lower.c \
	lang/lower.h \
	lang/lower_act.c \
	lang/lower_builtin.c \
	lang/lower_expr.c \
	lang/lower_key.c \
	lang/lower_mem.c \
	lang/lower_rec.c \
	lang/lower_str.c \
	lang/lower_var.c \
	lang/macro.c \
	lang/match.c \
	lang/node.c \
	lang/node.h \
	lang/parse.c \
	lang/parse.h \
	lang/pragma.c \
	lang/prelude.c \
	lang/prelude.h \
	lang/prog.h \
	lang/scan.c \
	lang/sou.c \
	lang/type_text.c \
	lang/types.c \
	lang/types.h
BUILT_SOURCES += lang/gram.h
lang/lex.$(OBJEXT) lang/macro.$(OBJEXT) lang/parse.$(OBJEXT) lang/scan.$(OBJEXT): lang/gram.h
