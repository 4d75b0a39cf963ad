/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notes of statically defined probes: those of files of this system as readelf prints them, and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/programs/notes.h"

/* One line for each note, as readelf gives them. */
static void ours(const char *path, struct buf *out)
{
	struct arena a;
	struct notes n = { 0 };
	struct elf e;
	int err = 0;

	arena_init(&a, NULL, NULL);
	if (elf_open_fd(&e, open(path, O_RDONLY | O_CLOEXEC), &err)) {
		assert_int_equal(notes_read(&n, &a, &e), 0);
		for (size_t i = 0; i < n.list.n; i++) {
			const struct program_note *x = &n.list.v[i];
			uint64_t semaphore = 0;

			if (x->semaphore)
				assert_true(elf_vaddr(&e, x->semaphore, &semaphore));
			buf_printf(out, "%s %s %" PRIx64 " %" PRIx64 " %s\n", x->provider, x->name, x->address,
				   semaphore, x->args);
		}
	}
	elf_close(&e);
	arena_free(&a);
}

static void theirs(const char *path, struct buf *out)
{
	char *command = NULL, line[4096], provider[512] = "", name[512] = "";
	uint64_t address = 0, base = 0, semaphore = 0;
	FILE *f;

	assert_true(asprintf(&command, "LC_ALL=C readelf -n '%s' 2>/dev/null", path) > 0);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		char *args = strstr(line, "Arguments: ");

		line[strcspn(line, "\n")] = '\0';
		sscanf(line, " Provider: %511s", provider);
		sscanf(line, " Name: %511s", name);
		sscanf(line, " Location: %" SCNx64 ", Base: %" SCNx64 ", Semaphore: %" SCNx64, &address, &base,
		       &semaphore);
		if (args)
			buf_printf(out, "%s %s %" PRIx64 " %" PRIx64 " %s\n", provider, name, address, semaphore,
				   args + strlen("Arguments: "));
	}
	pclose(f);
	free(command);
}

/* Files that Debian builds with probes. Those that are not installed are left out; the compiler's library is. */
static void test_system(void **state)
{
	static const char *const patterns[] = {
		"/usr/bin/python3.1[0-9]", "/usr/lib/*-linux-gnu*/libpython3.*.so.1.0",
		"/usr/lib/*-linux-gnu*/libstdc++.so.6",
		"/usr/lib/postgresql/*/bin/postgres", "/usr/lib/jvm/*/lib/server/libjvm.so",
		"/lib/*-linux-gnu*/libc.so.6",
		"/usr/lib/*-linux-gnu*/libvirt.so.0", "/usr/bin/qemu-system-x86_64", "/usr/sbin/mariadbd",
		"/lib/*-linux-gnu*/ld-linux*.so.*", "/usr/bin/node",
	};
	glob_t files = { 0 };
	unsigned with = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct buf a = { 0 }, b = { 0 };

		ours(files.gl_pathv[i], &a);
		theirs(files.gl_pathv[i], &b);
		assert_string_equal(buf_str(&a), buf_str(&b));
		with += a.len > 0;
		buf_free(&a);
		buf_free(&b);
	}
	print_message("# %zu files, %u with probes\n", files.gl_pathc, with);
	globfree(&files);
	if (!with)
		skip();
}

/* ---- files made here ---- */
struct made_file {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr section[4];
	char names[64];
	uint8_t notes[512];
};

enum { CODE = 0x1000, BASE = 0x1200 };

static void put_note(struct buf *b, uint32_t type, const char *owner, uint64_t pc, uint64_t base, uint64_t semaphore,
		     const char *strings, size_t n)
{
	Elf64_Nhdr h = { 8, (uint32_t)(24 + n), type };
	uint64_t words[] = { pc, base, semaphore };

	buf_put(b, &h, sizeof h);
	buf_put(b, owner, 8);
	buf_put(b, words, sizeof words);
	buf_put(b, strings, n);
	while (b->len % 4)
		buf_put(b, "", 1);
}

static size_t read_file(const struct buf *notes, struct arena *a, struct notes *n, size_t cut)
{
	static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab";
	struct made_file *f = calloc(1, sizeof *f);
	struct elf e;

	memcpy(f->head.e_ident, ELFMAG, SELFMAG);
	f->head.e_ident[EI_CLASS] = ELFCLASS64;
	f->head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	f->head.e_ident[EI_VERSION] = f->head.e_version = EV_CURRENT;
	f->head.e_type = ET_DYN;
	f->head.e_phoff = offsetof(struct made_file, load);
	f->head.e_phnum = 1;
	f->head.e_phentsize = sizeof f->load;
	f->head.e_shoff = offsetof(struct made_file, section);
	f->head.e_shnum = 4;
	f->head.e_shentsize = sizeof f->section[0];
	f->head.e_shstrndx = 3;
	f->load = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0, .p_vaddr = CODE,
				.p_filesz = sizeof *f, .p_memsz = sizeof *f };
	f->section[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = offsetof(struct made_file, notes),
				      .sh_size = cut };
	f->section[2] = (Elf64_Shdr){ .sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = BASE, .sh_size = 1 };
	f->section[3] = (Elf64_Shdr){ .sh_name = 29, .sh_type = SHT_STRTAB, .sh_size = sizeof f->names,
				      .sh_offset = offsetof(struct made_file, names) };
	memcpy(f->names, names, sizeof names);
	memcpy(f->notes, notes->data, notes->len < sizeof f->notes ? notes->len : sizeof f->notes);
	assert_true(elf_open_mem(&e, f, sizeof *f));
	assert_int_equal(notes_read(n, a, &e), 0);
	elf_close(&e);
	free(f);
	return n->list.n;
}

static const char strings[] = "prov\0name\0" "8@%rax";

/* Prelinking has moved the file by 0x100 since the note was written. */
static void test_moved(void **state)
{
	struct buf b = { 0 };
	struct arena a;
	struct notes n = { 0 };

	(void)state;
	arena_init(&a, NULL, NULL);
	put_note(&b, 3, "stapsdt", CODE + 0x10, BASE - 0x100, CODE + 0x20, strings, sizeof strings);
	assert_int_equal(read_file(&b, &a, &n, b.len), 1);
	assert_string_equal(n.list.v[0].provider, "prov");
	assert_string_equal(n.list.v[0].name, "name");
	assert_string_equal(n.list.v[0].args, "8@%rax");
	assert_int_equal(n.list.v[0].address, CODE + 0x110);
	assert_int_equal(n.list.v[0].off, 0x110);
	assert_int_equal(n.list.v[0].semaphore, 0x120);
	assert_int_equal(n.list.v[0].word, 8);
	buf_free(&b);
	arena_free(&a);
}

/* Damaged notes, and those of others, are left out; the ones after them are found. */
static void test_damaged(void **state)
{
	struct buf b = { 0 };
	struct arena a;
	struct notes n = { 0 };

	(void)state;
	arena_init(&a, NULL, NULL);
	put_note(&b, 3, "stapsdt", CODE, BASE, 0, strings, 7);			/* a string without an end */
	put_note(&b, 3, "stapsdt", CODE, BASE, 0, "prov\0name", 10);		/* two strings */
	put_note(&b, 4, "stapsdt", CODE, BASE, 0, strings, sizeof strings);	/* another type */
	put_note(&b, 3, "stapsdu", CODE, BASE, 0, strings, sizeof strings);	/* another owner */
	put_note(&b, 3, "stapsdt", CODE - 1, BASE, 0, strings, sizeof strings);	/* not in the file */
	put_note(&b, 3, "stapsdt", CODE, BASE, 1, strings, sizeof strings);	/* a semaphore that is not */
	put_note(&b, 3, "stapsdt", CODE + 4, BASE, 0, strings, sizeof strings);
	assert_true(b.len < sizeof((struct made_file *)0)->notes);
	assert_int_equal(read_file(&b, &a, &n, b.len), 1);
	assert_int_equal(n.list.v[0].off, 4);
	buf_free(&b);
	arena_free(&a);
}

/* A section that ends anywhere. */
static void test_cut(void **state)
{
	struct buf b = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a, NULL, NULL);
	put_note(&b, 3, "stapsdt", CODE, BASE, 0, strings, sizeof strings);
	put_note(&b, 3, "stapsdt", CODE + 4, BASE, 0, strings, sizeof strings);
	for (size_t cut = 0; cut <= b.len; cut++) {
		struct notes n = { 0 };
		size_t want = cut >= b.len - 3 ? 2 : cut >= b.len / 2 - 3 ? 1 : 0;	/* padding may be missing */

		if (want != read_file(&b, &a, &n, cut))
			fail_msg("%zu of %zu bytes: %zu notes", cut, b.len, n.list.n);
	}
	buf_free(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_system),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
