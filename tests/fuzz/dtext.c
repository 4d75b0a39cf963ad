/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/fuzz/dtext.h"

#include <stdio.h>

#include "tests/fuzz/fuzz.h"
#include "tests/lib/options.h"

static const char *const args[] = { "1", "pid", "-0x7f", "" };

void dtext_open(struct dcheck *w, const char *text, size_t size)
{
	struct d_options opts = test_options();
	struct compile_env env = {
		.target = -1, .args = (const char **)args, .nargs = sizeof args / sizeof *args, .argv0 = "script.d",
		.btf = fuzz_btf(),
	};

	dcheck_open(w, text, size, NULL);
	opts.argref = true;
	opts.nspec = 2;
	opts.specsize = 4096;
	env.prelude = arena_printf(&w->arena, "%s/prelude.d", fuzz_share());
	compiler_close(&w->c);
	compiler_init(&w->c, &w->arena, &w->diags, &w->probes, &opts, &env);
}
