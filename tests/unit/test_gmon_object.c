/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/output/gmon: the code of the kernel, of modules and of files, and the image of the kernel for gprof. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arch/arch.h"
#include "engine/output/gmon/gmon_image.h"
#include "engine/symbols/object.h"
#include "tests/lib/symbol_list.h"

/* A kernel that was moved by 0x3a00000. */
static const char kernel[] =
	"ffffffff84a00000 T _text\n"
	"ffffffff84a00000 T _stext\n"
	"ffffffff84a00010 t __pfx_f\n"
	"ffffffff84a00020 t f\n"
	"ffffffff84a00020 t f_again\n"
	"ffffffff84a00030 t g.cold\n"
	"ffffffff84a00040 D data\n"
	"ffffffff84a00050 W w\n"
	"ffffffff84a01000 T _etext\n"
	"ffffffff85000000 t init\n"
	"ffffffffc0001010 t m1\t[mod]\n"
	"ffffffffc0001800 T m2\t[mod]\n"
	"ffffffffc0003000 d m3\t[mod]\n";

static void test_kernel(void **state)
{
	struct kallsyms *k;
	struct gmon_object o;

	(void)state;
	if (ARCH_ELF != EM_X86_64)
		skip();		/* where the default is another address, no kernel is moved back */
	k = symbol_list(kernel, NULL);
	assert_int_equal(gmon_object_kernel(&o, k, "vmlinux"), 0);
	assert_true(o.low == 0xffffffff81000000 && o.high == 0xffffffff81001000);
	assert_true(o.slide == 0x3a00000 && !o.is32);
	assert_int_equal(o.nborders, 3);	/* f, twice, and w */
	assert_true(o.border[0] == 0xffffffff81000020 && o.border[2] == 0xffffffff81000050);
	gmon_object_free(&o);
	gmon_object_free(&o);

	assert_int_equal(gmon_object_kernel(&o, k, "mod"), 0);
	assert_true(o.low == 0xffffffffc0001010 && o.high == 0xffffffffc0002000 && !o.slide);
	assert_int_equal(o.nborders, 1);
	gmon_object_free(&o);
	assert_int_equal(gmon_object_kernel(&o, k, "unknown"), -ENOENT);
	kallsyms_close(k);
}

/* "NAME@ADDRESS ..." of all symbols. */
struct image_symbols {
	const struct symtab *table;
	struct buf text;
};

static void list_symbol(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct image_symbols *l = arg;
	char name[64];

	(void)i;
	assert_true(elf_string(l->table->elf, l->table->strings + s->name, name, sizeof name));
	buf_printf(&l->text, "%s@%llx ", name, (unsigned long long)s->value);
}

static void expect_image(const struct kallsyms *k, const char *module, const char *want)
{
	struct gmon_object o;
	struct buf file = { 0 };
	struct elf e;
	struct symtab table;
	struct image_symbols l = { .table = &table };
	const struct elf_section *text;

	assert_int_equal(gmon_object_kernel(&o, k, module), 0);
	gmon_image_kernel(&file, &o, k, module);
	assert_true(!file.failed && elf_open_mem(&e, file.data, file.len));
	text = elf_section_named(&e, ".text");
	assert_non_null(text);
	assert_true(text->addr == o.low && text->size == o.high - o.low);
	assert_true(symtab_open(&table, &e, 2) && symtab_each(&table, list_symbol, &l));
	assert_string_equal(buf_str(&l.text), want);
	symtab_close(&table);
	elf_close(&e);
	buf_free(&l.text);
	buf_free(&file);
	gmon_object_free(&o);
}

static void test_image(void **state)
{
	struct kallsyms *k;

	(void)state;
	if (ARCH_ELF != EM_X86_64)
		skip();
	k = symbol_list(kernel, NULL);
	expect_image(k, "vmlinux", "_text@ffffffff81000000 f@ffffffff81000020 g.cold@ffffffff81000030 "
		     "w@ffffffff81000050 _etext@ffffffff81001000 ");
	expect_image(k, "mod", "m1@ffffffffc0001010 m2@ffffffffc0001800 _etext@ffffffffc0002000 ");
	kallsyms_close(k);
}

/* A kernel whose addresses are not those of the default configuration is not changed. */
static void test_other_kernel(void **state)
{
	struct kallsyms *k = symbol_list("ffffffff90000123 T _text\nffffffff90000200 t f\nffffffff90001000 T _etext\n",
					 NULL);
	struct gmon_object o;

	(void)state;
	assert_int_equal(gmon_object_kernel(&o, k, "vmlinux"), 0);
	assert_true(o.low == 0xffffffff90000123 && o.high == 0xffffffff90001000 && !o.slide);
	gmon_object_free(&o);
	kallsyms_close(k);
}

/* This program has its own symbols, and the image would have them, too. */
static void expect_file_image(struct object *self, const struct gmon_object *o)
{
	const struct elf_section *text;
	struct buf file = { 0 };
	struct symtab table;
	uint64_t addr = 0;
	struct elf e;

	assert_false(gmon_image_needed(self));
	assert_true(gmon_image_file(&file, o, self));
	assert_true(elf_open_mem(&e, file.data, file.len));
	text = elf_section_named(&e, ".text");
	assert_true(text && text->addr == o->low && text->size == o->high - o->low);
	assert_true(symtab_open(&table, &e, 2) && symtab_named(&table, "main", 4, &addr));
	assert_true(addr >= o->low && addr < o->high);
	assert_true(symtab_named(&table, "_etext", 6, &addr) && addr == o->high);
	symtab_close(&table);
	elf_close(&e);
	buf_free(&file);
}

static void test_file(void **state)
{
	struct gmon_object o;
	struct stat st;
	struct object *self, *none;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	self = object_new("/proc/self/exe", st.st_dev, st.st_ino);
	assert_non_null(self);
	assert_int_equal(gmon_object_file(&o, self), 0);
	assert_true(o.low < o.high && o.nborders > 10 && o.border[0] > o.low && o.border[o.nborders - 1] < o.high);
	for (size_t i = 1; i < o.nborders; i++)
		assert_true(o.border[i - 1] <= o.border[i]);
	expect_file_image(self, &o);
	gmon_object_free(&o);
	object_free(self);

	assert_int_equal(stat("/etc/passwd", &st), 0);
	none = object_new("/etc/passwd", st.st_dev, st.st_ino);
	assert_int_equal(gmon_object_file(&o, none), -ENOEXEC);
	gmon_object_free(&o);
	object_free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel), cmocka_unit_test(test_image), cmocka_unit_test(test_other_kernel),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
