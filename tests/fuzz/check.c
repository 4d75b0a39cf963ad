/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* D text through the whole front end; compiled programs must verify, print, and run the same optimised or not. */
#include <stdlib.h>

#include "tests/fuzz/dtext.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/irsame.h"

static void lower(struct dcheck *w)
{
	int r = lang_compile(&w->c, STAGE_LOWERED);

	FUZZ_CHECK(!r == !w->diags.nerrors, "%zu errors of lowering", w->diags.nerrors);
	if (r) {
		const struct diag *d = &w->diags.list.v[w->diags.list.n - 1];

		FUZZ_CHECK(!w->c.prog || d->tag == D_LIMIT, "what is lowered verifies: %s", d->text);
		return;
	}
	ir_check_text(w->c.prog->ir, &w->arena);
	ir_check_optimiser(w->c.prog->ir, &w->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct buf out = { 0 };
	struct dcheck w;

	dtext_open(&w, text, size);
	dcheck_run(&w);
	FUZZ_CHECK(!w.err == !w.diags.nerrors, "%d with %zu errors", w.err, w.diags.nerrors);
	lang_print_tree(&out, w.c.script, !w.err);
	if (!w.err)
		lower(&w);
	fuzz_diags(&w.diags, DIAG_NTAGS);
	buf_free(&out);
	dcheck_close(&w);
	free(text);
	return 0;
}
