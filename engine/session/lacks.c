/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/lacks.h"

#include <inttypes.h>
#include <string.h>

#include "engine/host/why.h"
#include "engine/session/session.h"

static void tell_kernel(struct dtr *t, int err)
{
	char why[256];

	why_kallsyms(why, sizeof why, err);
	session_message(t, "warning: kernel addresses are not resolved: %s", why);
}

static void tell_file(struct dtr *t, const struct symbol_lacks *l)
{
	char why[256];

	why_file(why, sizeof why, l->file, l->path);
	session_message(t, "warning: cannot read %s: %s: some addresses are not resolved", l->path, why);
}

static void tell_engine(struct dtr *t)
{
	struct buf b = { 0 };

	if (t->ops->lacks && !t->ops->lacks(t->backend, &b))
		t->failed = true;
	if (b.len)
		session_message(t, "%s", buf_str(&b));
	buf_free(&b);
}

void lacks_tell(struct dtr *t)
{
	struct symbol_lacks l;

	names_lacks(&t->symbols, &l);
	if (l.nomem) {
		session_message(t, "out of memory: some addresses are not resolved");
		t->failed = true;
	}
	if (l.kernel)
		tell_kernel(t, l.kernel);
	if (l.file)
		tell_file(t, &l);
	tell_engine(t);
	if (l.notes)
		session_message(t, "%" PRIu64 " process events were lost; some addresses may stay unresolved", l.notes);
}
