/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr -h, dtr -G: what programs need to have the probes that a script declares. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "engine/output/header.h"
#include "engine/session/order.h"
#include "engine/session/session.h"
#include "engine/session/text.h"
#include "engine/symbols/elf.h"

static const char *first_file(const struct dtr *t)
{
	const char *slash = t->texts.n ? strrchr(t->texts.v[0]->name, '/') : NULL;

	return slash ? slash + 1 : t->texts.n ? t->texts.v[0]->name : "a script";
}

static int declare_header(struct dtr *t, struct buf *b)
{
	const char *why;
	const struct declared_probe *bad = header_write(b, t->comp.script, first_file(t), &why);

	if (bad)
		output_message(&t->output, "failed to write a header: probe %s: %s", bad->name, why);
	return bad ? -1 : 0;
}

static int declare_write(struct dtr *t, const struct buf *b, const char *path)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(b->data, 1, b->len, f) == b->len;

	if (f && fclose(f))
		ok = false;
	if (!ok)
		output_message(&t->output, "failed to write %s: %s", path, strerror(errno));
	return ok ? 0 : -1;
}

static int declare_inputs(struct dtr *t, const char *const *inputs, unsigned n)
{
	int r = 0;

	for (unsigned i = 0; i < n; i++) {
		int fd = open(inputs[i], O_RDONLY | O_CLOEXEC), err = fd < 0 ? errno : 0;
		struct elf e;

		if (fd >= 0 && !elf_open_fd(&e, fd, &err) && !err)
			err = ENOEXEC;
		if (fd >= 0)
			elf_close(&e);
		if (err)
			output_message(&t->output, "failed to read %s: %s", inputs[i],
				       err == ENOEXEC ? "not an object file" : strerror(err));
		r |= err ? -1 : 0;
	}
	return r;
}

int dtr_declare(struct dtr *t, unsigned bits, const char *path, const char *const *inputs, unsigned n)
{
	struct buf b = { 0 };
	int r = 0;

	if (!order_allows(t, CALL_dtr_declare) || !order_given(t, CALL_dtr_declare, path, "the path"))
		return -1;
	if (dtr_parse(t) < 0 || declare_inputs(t, inputs, n) < 0)
		return -1;
	if (!t->comp.script->providers.n) {
		output_message(&t->output, "the script declares no provider");
		return -1;
	}
	if (bits)
		stub_write(&b, t->comp.script, bits == 32);
	else
		r = declare_header(t, &b);
	if (!r && b.failed) {
		output_message(&t->output, "out of memory");
		r = -1;
	}
	if (!r)
		r = declare_write(t, &b, path);
	buf_free(&b);
	return r;
}
