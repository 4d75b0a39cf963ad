/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* IR text through its parser and verifier; accepted programs through printer, optimiser and interpreter. */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/irsame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct source src = { .name = "input.ir", .text = text, .len = size };
	struct ir_prog p;
	struct arena a;
	struct diags d;
	int r;

	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	ir_prog_init(&p, &a);
	r = ir_parse(&p, &src, &d);
	FUZZ_CHECK(!r == !d.nerrors, "%d with %zu errors", r, d.nerrors);
	fuzz_diags(&d, DIAG_NTAGS);
	if (!r && !ir_verify(&p, &d)) {
		ir_check_text(&p, &a);
		ir_check_optimiser(&p, &a);
	}
	fuzz_diags(&d, D_BPF);
	arena_free(&a);
	free(text);
	return 0;
}
