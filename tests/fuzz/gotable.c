/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An untrusted table of Go's functions: symbols, unwinding tables, lines and inlined functions of some addresses. The
 * file has the table, which is also its code and the data of its functions, and a description of the program. Bits of
 * the first byte: the address of the code is in the description only; which word of it has the data of functions.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/symbols/golines.h"
#include "engine/symbols/gotab.h"
#include "tests/fuzz/fuzz.h"

enum { ADDR = 0x400000, MODULE = 0x800000, MODULE_SIZE = 640, NAMED = 8, TEXT_AT = 176, FUNCTIONS_AT = 304 };
enum { TABLE_MAX = 1 << 20, HEADER = 72 };

static const char names[] = "\0.shstrtab\0.gopclntab\0.data";

/* The bytes of a file with the table; the caller frees them. */
static struct buf file_make(const uint8_t *table, size_t size, unsigned kind)
{
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_machine = EM_X86_64, .e_ehsize = sizeof h, .e_phoff = sizeof h, .e_phnum = 2,
			 .e_phentsize = sizeof(Elf64_Phdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4,
			 .e_shstrndx = 1 };
	uint64_t module[MODULE_SIZE / 8] = { ADDR, ADDR }, word;
	Elf64_Shdr s[4] = { { 0 } };
	struct buf b = { 0 };
	size_t from = sizeof h + 2 * sizeof(Elf64_Phdr);
	Elf64_Phdr p[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = from, .p_vaddr = ADDR, .p_filesz = size },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = from + size, .p_vaddr = MODULE,
		  .p_filesz = MODULE_SIZE },
	};

	if (size >= HEADER) {
		memcpy(&word, table + 32, sizeof word);
		module[1] += word;
	}
	module[TEXT_AT / 8] = ADDR;
	module[FUNCTIONS_AT / 8 + (kind >> 1) % 8] = ADDR;
	s[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = from + size + MODULE_SIZE,
			     .sh_size = sizeof names };
	s[2] = (Elf64_Shdr){ .sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = from, .sh_addr = ADDR,
			     .sh_size = size };
	s[3] = (Elf64_Shdr){ .sh_name = 22, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
			     .sh_offset = from + size, .sh_addr = MODULE, .sh_size = MODULE_SIZE };
	h.e_shoff = from + size + MODULE_SIZE + sizeof names;
	buf_put(&b, &h, sizeof h);
	buf_put(&b, p, sizeof p);
	buf_put(&b, table, size);
	if (kind & 1 && size >= HEADER)
		memset(b.data + from + 24, 0, 8);
	buf_put(&b, module, sizeof module);
	buf_put(&b, names, sizeof names);
	buf_put(&b, s, sizeof s);
	return b;
}

static void lines_look(const struct golines *g, uint64_t addr)
{
	struct line_frame f[LINES_MAX];
	unsigned n = golines_find(g, addr, f);

	FUZZ_CHECK(n <= LINES_MAX, "%u frames", n);
	for (unsigned i = 0; i < n; i++) {
		FUZZ_CHECK(!f[i].name == (i + 1 == n), "name %u of %u", i, n);
		FUZZ_CHECK(!f[i].name || strlen(f[i].name) < TABLE_MAX, "a name without end");
		FUZZ_CHECK(!f[i].file || strlen(f[i].file) < TABLE_MAX, "a file without end");
	}
}

static void function_look(void *arg, uint64_t begin)
{
	for (uint64_t i = 0; i < 20; i++)
		lines_look(arg, begin + i * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf e, made;
	struct golines *g;
	struct buf b;

	if (!size || size > TABLE_MAX)
		return 0;
	b = file_make(data + 1, size - 1, *data);
	if (elf_open_mem(&e, b.data, b.len)) {
		if (gotab_symbols(&made, &e))
			elf_close(&made);
		if (gotab_frames(&made, &e))
			elf_close(&made);
		g = golines_open(&e);
		if (g)
			gotab_each(&e, function_look, g);
		golines_close(g);
		elf_close(&e);
	}
	buf_free(&b);
	return 0;
}
