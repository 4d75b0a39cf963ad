/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of a clause: the firing one of a gate's probes, records, actions.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_CLAUSES_H
#define LANG_LOWER_CLAUSES_H

#include "lang/lower/lower.h"

/* ---- lower/gate.c ---- */
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

/* ---- lower/thin.c ---- */
/* For the function of l->enabled: with -x maxcost, prepares that its firings can be thinned, if its clauses allow. */
void lower_thin_begin(struct lower *l, const struct probe_info *pi);
/* Jumps to `skip` if this firing is one that does not run. Then counts it if it stands for others. */
void lower_thin_choose(struct lower *l, uint32_t skip);
void lower_thin_count(struct lower *l);

/* ---- lower/rec.c ---- */
void lower_clause_info(struct lower *l, struct clause_info *ci);

/* ---- lower/act.c ---- */
void lower_statements(struct lower *l, const struct stmt *s);
/* The record of the clause, if it has one: before its statements, and after them. */
void lower_record_begin(struct lower *l);
void lower_record_end(struct lower *l);

/* ---- lower/destruct.c ---- */
void lower_stop(struct lower *l, const struct node *call, uint32_t rec);
void lower_raise(struct lower *l, const struct node *call, uint32_t rec);
void lower_chill(struct lower *l, const struct node *call, uint32_t rec);

#endif
