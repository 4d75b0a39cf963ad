/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An untrusted ELF file: its sections, symbols, build ID, compressed symbols, the symbols of its addresses. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/debugfile.h"
#include "engine/symbols/symtab.h"
#include "tests/fuzz/fuzz.h"

static void look_up(const struct symtab *t, uint64_t addr)
{
	uint64_t start = 0;
	char name[32];

	memset(name, 'x', sizeof name);
	if (!symtab_find(t, addr, &start, name, sizeof name))
		return;
	FUZZ_CHECK(start <= addr, "%llx begins at %llx", (unsigned long long)addr, (unsigned long long)start);
	FUZZ_CHECK(memchr(name, '\0', sizeof name), "a name without end");
}

static void table(const struct elf *e, uint32_t type)
{
	struct symtab t;

	if (symtab_open(&t, e, type)) {
		for (uint32_t i = 0; i < t.n; i++) {
			FUZZ_CHECK(!i || t.row[i - 1].addr <= t.row[i].addr, "row %u is out of order", i);
			if (i < 64)
				look_up(&t, t.lowest + t.row[i].addr + i % 3);
		}
		look_up(&t, 0);
		look_up(&t, UINT64_MAX);
	}
	symtab_close(&t);
}

static void image(const uint8_t *data, size_t size)
{
	uint8_t id[ELF_BUILDID];
	struct elf e, mini;
	uint64_t vaddr;

	if (!elf_open_mem(&e, data, size))
		return;
	FUZZ_CHECK(elf_build_id(&e, id) <= sizeof id, "the build ID is too long");
	table(&e, SHT_SYMTAB);
	table(&e, SHT_DYNSYM);
	for (uint64_t off = 0; off < size; off += 1 + size / 16)
		elf_vaddr(&e, off, &vaddr);
	if (debugfile_embedded(&mini, &e)) {
		table(&mini, SHT_SYMTAB);
		elf_close(&mini);
	}
	elf_close(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	memcpy(copy, data, size);	/* a block of exactly this size */
	image(copy, size);
	free(copy);
	return 0;
}
