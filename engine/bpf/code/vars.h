/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of an associative array whose key is one word, or of the thread-local variables. All CPUs share it; it lies
 * in the data map, so the program addresses it directly. Each element has its own cache lines.
 *
 * A table is a cache line whose first word is `full`, then rows: [tag][value], for threads [tag][start][value]. The tag
 * is 0 in a free row, whose other words are 0; otherwise it identifies the element: the key + 1, or the thread's task
 * (isel_vars.c). It is looked for in VAR_PROBES rows. A free row is claimed by one compare-and-exchange of the tag, so
 * no other CPU or nested firing sees an incomplete element.
 *
 * The kernel reuses the memory of tasks, and does not always report that it has freed one (threads.h). A thread whose
 * row has another start time than its own (task_struct.start_time, ns) therefore clears the value first.
 *
 * An element that finds no free row goes to the kernel's map of the object, and `full` becomes 1 for the rest of the
 * session: only then does a search that fails in the table continue in the map. The key -1 always goes to the map.
 *
 * The kernel's maps reuse the memory of removed elements at once, and so do these tables: a firing that still uses an
 * element while another one removes it may write to the element that comes next. It may also write to a row that is
 * free, so the firing that claims a row for an element of an array clears it.
 *
 * Ownership: none. Errors: none.
 */
#ifndef ENGINE_BPF_CODE_VARS_H
#define ENGINE_BPF_CODE_VARS_H

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"

/* VAR_TAKEN: the tag of no thread. */
enum { VAR_PROBES = 4, VAR_START = 8, VAR_TAKEN = 1 };

/* Places the tables in the data map from im->off_vars on, and sets their size. Every map is already listed. */
void vars_place(struct bpf_image *im);
/* Offset of the value in a row. */
uint32_t vars_value(const struct bpf_image *im, const struct bpf_place *pl);
/* Bytes of a row. */
uint32_t vars_row(const struct bpf_image *im, const struct bpf_place *pl);

/* ---- the generated code: R5 = first row, R3 = tag, R1 = number of a row, R2 = that row ---- */
struct var_search {
	int64_t factor;		/* odd, of the hash: multiply-shift (Dietzfelbinger et al., 1997), then as in rows.h */
	uint32_t rows, row;	/* number of rows, bytes of a row */
	uint32_t end;		/* offset of the end of the value in a row */
};
struct var_search var_search(const struct bpf_image *im, const struct bpf_place *pl);
/* R1 = number of the first row to look at. R0 is lost. */
void var_first(struct asm_buf *a, const struct var_search *s);
/* Jumps to `found` with R2 = the row that has the tag. R0 and R1 are lost. */
void var_find(struct asm_buf *a, const struct var_search *s, uint32_t found);
/* Frees the row of the tag, if it has one. R0, R1, R2, R4 are lost. */
void var_remove(struct asm_buf *a, const struct var_search *s);

#endif
