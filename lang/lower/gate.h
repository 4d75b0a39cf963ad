/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of gates: probes that share a program.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_GATE_H
#define LANG_LOWER_GATE_H

#include "lang/lower/lower.h"

/* Finds the gates and their probes. */
void lower_find_gates(struct lower *l);
struct gate *lower_gate(struct lower *l, const struct probe *p);
/* Continues if one of the gate's enabled probes fires; else jumps to `skip`. */
void lower_gate_enter(struct lower *l, uint32_t skip);
/* At the start of a clause: continues if it names the firing probe; else jumps to `no`. */
void lower_gate_clause(struct lower *l, uint32_t no);
struct ir_arg lower_id(struct lower *l);
/* A table with a word for each of the gate's probes, and a load of the firing probe's word. */
uint32_t lower_gate_table(struct lower *l, const char *what, const uint64_t *words);
struct ir_arg lower_gate_load(struct lower *l, uint32_t table);
/* The text of probefunc and the like if lower_builtin_text returns NULL. */
void lower_gate_text(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);
/* The ID of the firing enabling. */
struct ir_arg lower_epid(struct lower *l);

#endif
