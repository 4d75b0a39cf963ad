/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Characters of names, for the printer and the parser of the text form. Private to ir/. Errors: none. */
#ifndef IR_TEXT_H
#define IR_TEXT_H

#include "ir/ir.h"

enum { IR_NOBJKINDS = IR_O_AGG + 1, IR_NCTX = IR_C_ERROR + 1 };

extern const char *const ir_objkind_text[IR_NOBJKINDS];
extern const char *const ir_ctx_text[IR_NCTX];

/* True if a name without quotes may start with this character, or may contain it. */
bool ir_name_start(unsigned char c);
bool ir_name_char(unsigned char c);

#endif
