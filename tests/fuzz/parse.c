/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* D text through the scanner and the parser. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/dtext.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct buf out = { 0 };
	struct dcheck w;
	int r;

	dtext_open(&w, text, size);
	r = lang_parse(&w.c, &w.src);
	FUZZ_CHECK(!r == !w.diags.nerrors, "%d with %zu errors", r, w.diags.nerrors);
	FUZZ_CHECK(r || !memchr(text, '\0', size), "a NUL was swallowed");
	lang_print_tree(&out, w.c.script, false);
	fuzz_diags(&w.diags, DIAG_NTAGS);
	buf_free(&out);
	dcheck_close(&w);
	free(text);
	return 0;
}
