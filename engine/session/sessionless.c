/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of engine/dtr.h that need no session. */
#include <elf.h>
#include <errno.h>

#include "engine/dtr.h"
#include "engine/host/refusal.h"
#include "engine/programs/start.h"
#include "engine/run/options.h"
#include "engine/symbols/elf.h"
#include "providers/profile/profile.h"

const char *dtr_version(void)
{
	return DTR_VERSION;
}

int dtr_interval(const char *text, uint64_t *ns, char *reason, size_t n)
{
	return profile_parse_interval(text, ns, reason, n);
}

void dtr_source_help(FILE *out)
{
	struct buf b = { 0 };

	profile_source_help(&b);
	fputs(buf_str(&b), out);
	buf_free(&b);
}

const char *dtr_formats(void)
{
	return options_formats();
}

const char *const *dtr_option_words(const char *name)
{
	return options_words(name);
}

bool dtr_option_row(unsigned i, struct dtr_option_row *row)
{
	return options_row(i, &row->name, &row->text, &row->is_switch);
}

int dtr_option_help(FILE *out)
{
	struct buf b = { 0 };
	bool failed;

	options_help(&b);
	failed = b.failed;
	if (!failed)
		fputs(buf_str(&b), out);
	buf_free(&b);
	return failed ? -1 : 0;
}

bool dtr_refused(char *reason, size_t n)
{
	return bpf_refused(reason, n);
}

const char *dtr_error_text(int err)
{
	return refusal_errno(err);
}

int dtr_advance(pid_t pid, enum dtr_point to, int *status, char *reason, size_t n)
{
	return start_advance(pid, to, status, reason, n);
}

static bool is_library(const struct elf *e)
{
	const struct elf_section *d = elf_section_typed(e, SHT_DYNAMIC);
	uint64_t value;
	int64_t tag;

	for (unsigned i = 0; d && elf_dynamic(e, d, i, &tag, &value); i++)
		if (tag == DT_SONAME)
			return true;
	return false;
}

int dtr_program_code(int fd, uint64_t *addr, bool *library)
{
	struct elf e = { 0 };
	bool found = false;
	int err = 0;

	if (!elf_open_fd(&e, fd, &err))
		return err ? -err : -ENOEXEC;
	for (unsigned i = 0; i < e.nloads; i++) {
		if (!e.load[i].code || (found && e.load[i].vaddr >= *addr))
			continue;
		*addr = e.load[i].vaddr;
		found = true;
	}
	*library = is_library(&e);
	elf_close(&e);
	return found ? 0 : -ENOEXEC;
}
