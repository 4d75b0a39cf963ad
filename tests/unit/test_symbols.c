/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of addresses: the kernel's list, ELF images (broken ones, too), what processes have mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "engine/symbols/maps.h"
#include "engine/symbols/symbols.h"
#include "engine/symbols/seen.h"
#include "engine/symbols/symtab.h"
#include "tests/lib/symbol_list.h"

/* ---- the kernel's list ---- */
static struct kallsyms *from_text(const char *text, int want)
{
	int err;
	struct kallsyms *k = symbol_list(text, &err);

	assert_int_equal(err, want);
	return k;
}

static void expect_kernel(const struct kallsyms *k, uint64_t addr, const char *want)
{
	struct buf b = { 0 };
	struct symbol s;

	kallsyms_find(k, addr, &s);
	buf_printf(&b, "%s %s+%llu base %llx", s.object ? s.object : "-", s.name ? s.name : "-",
		   (unsigned long long)(s.name ? addr - s.start : 0), (unsigned long long)s.base);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void test_kallsyms(void **state)
{
	struct kallsyms *k = from_text(
		"0000000000000010 A percpu\n"
		"ffffffff81000200 t local\n"
		"ffffffff81000000 t start\n"
		"ffffffff81000000 T _start\n"
		"ffffffff81000000 t __pfx_start\n"
		"ffffffff81000100 t data\n"
		"ffffffff81000100 T data.part\n"
		"ffffffffc0000000 t first\t[ext4]\n"
		"ffffffffc0000100 T second\t[ext4]\n"
		"ffffffffc0100000 t other\t[xfs]\n"
		"nonsense\n"
		"ffffffff81000300 T", 0);
	int err = 0;

	(void)state;
	assert_non_null(k);
	expect_kernel(k, 0xffffffff81000000, "vmlinux start+0 base ffffffff81000000");
	expect_kernel(k, 0xffffffff810000ff, "vmlinux start+255 base ffffffff81000000");
	expect_kernel(k, 0xffffffff81000101, "vmlinux data+1 base ffffffff81000000");
	expect_kernel(k, 0xffffffff81000201, "vmlinux local+1 base ffffffff81000000");
	expect_kernel(k, 0xffffffffc0000105, "ext4 second+5 base ffffffffc0000000");
	expect_kernel(k, 0xffffffffc0100000, "xfs other+0 base ffffffffc0100000");
	/* beyond an object's last symbol, before the first, no address of the kernel */
	expect_kernel(k, 0xffffffffc0010100, "- -+0 base 0");
	expect_kernel(k, 0xffffffffc0110000, "- -+0 base 0");
	expect_kernel(k, 0xffffffff80ffffff, "- -+0 base 0");
	expect_kernel(k, 0x10, "- -+0 base 0");
	kallsyms_close(k);
	assert_null(from_text("0000000000000000 T start\n0000000000000000 T other\n", EPERM));
	assert_null(from_text("", ENODATA));
	assert_null(kallsyms_open("/nonexistent", &err));
	assert_int_equal(err, ENOENT);
	kallsyms_close(NULL);
}

/* ---- ELF ---- */
static uint8_t *self_image(size_t *size)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;
	uint8_t *p;

	assert_true(fd >= 0 && !fstat(fd, &st));
	p = malloc((size_t)st.st_size);
	assert_int_equal(pread(fd, p, (size_t)st.st_size, 0), st.st_size);
	close(fd);
	*size = (size_t)st.st_size;
	return p;
}

/* Whatever it is, nothing breaks. Returns what was found. */
static unsigned look_around(const uint8_t *image, size_t size)
{
	uint8_t id[ELF_BUILDID];
	unsigned found = 0;
	struct elf e;

	if (!elf_open_mem(&e, image, size))
		return 0;
	elf_build_id(&e, id);
	elf_section_named(&e, ".gnu_debuglink");
	for (unsigned type = 0; type < 2; type++) {
		struct symtab t;
		uint64_t start;
		char name[64];

		if (!symtab_open(&t, &e, type ? SHT_DYNSYM : SHT_SYMTAB))
			continue;
		for (uint32_t i = 0; i < t.n; i += 1 + t.n / 64)
			found += symtab_find(&t, t.lowest + t.row[i].addr, &start, name, sizeof name);
		symtab_close(&t);
	}
	elf_close(&e);
	return found;
}

static void test_elf(void **state)
{
	size_t size;
	uint8_t *p = self_image(&size);
	struct symtab t;
	struct elf e;
	uint64_t start = 0;
	char name[64];

	(void)state;
	assert_true(look_around(p, size) > 30);
	assert_true(elf_open_own(&e, p, size));
	assert_true(symtab_open(&t, &e, SHT_SYMTAB));
	assert_false(symtab_find(&t, t.lowest - 1, &start, name, sizeof name));
	assert_false(symtab_find(&t, UINT64_MAX, &start, name, sizeof name));
	symtab_close(&t);
	symtab_close(&t);
	elf_close(&e);
	elf_close(&e);
}

/* A file may end anywhere, and hold anything. */
/* LLD puts the end of a segment and the start of the next one into one page of the file. */
static void test_elf_shared_page(void **state)
{
	const struct elf e = {
		.load = { { 0, 0, 0x6dc, false }, { 0x6e0, 0x16e0, 0x1280, true }, { 0x1960, 0x3960, 0x1d8, false } },
		.nloads = 3,
	};
	const uint64_t base = 0x7f0000000000;
	uint64_t vaddr, bias;

	(void)state;
	assert_true(elf_bias(&e, base + 0x1000, 0, &bias));
	assert_int_equal(bias, base);
	assert_true(elf_bias(&e, base + 0x2000, 0x1000, &bias));	/* a part of the segment */
	assert_int_equal(bias, base);
	assert_false(elf_bias(&e, base + 0x4000, 0x2000, &bias));
	assert_true(elf_vaddr(&e, 0x6db, &vaddr));
	assert_int_equal(vaddr, 0x6db);
	assert_true(elf_vaddr(&e, 0x6e0, &vaddr));
	assert_int_equal(vaddr, 0x16e0);
	assert_false(elf_vaddr(&e, 0x6dd, &vaddr));
	assert_true(elf_vaddr(&e, 0x1960, &vaddr));
	assert_int_equal(vaddr, 0x3960);
}

/* Bytes of the file that are in two segments: the code counts. */
static void test_elf_overlap(void **state)
{
	const struct elf e = {
		.load = { { 0, 0, 0x1000, false }, { 0x800, 0x2800, 0x400, true } }, .nloads = 2,
	};
	uint64_t vaddr;

	(void)state;
	assert_true(elf_vaddr(&e, 0x900, &vaddr));
	assert_int_equal(vaddr, 0x2900);
	assert_true(elf_vaddr(&e, 0xc00, &vaddr));
	assert_int_equal(vaddr, 0xc00);
}

static void test_elf_broken(void **state)
{
	size_t size;
	uint8_t *p = self_image(&size), *copy = malloc(size);
	uint64_t x = 88172645463325252u;
	Elf64_Ehdr h;

	(void)state;
	for (size_t n = 0; n < 200; n++)
		assert_int_equal(look_around(p, n < 100 ? n : size * n / 20000), 0);
	for (unsigned round = 0; round < 300; round++) {
		memcpy(copy, p, size);
		memcpy(&h, p, sizeof h);
		for (unsigned i = 0; i < 1 + round % 8; i++) {
			size_t where, shdrs = h.e_shnum * sizeof(Elf64_Shdr);

			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			where = round % 3 == 0 ? x % sizeof h : round % 3 == 1 ? h.e_shoff + x % shdrs : x % size;
			copy[where] = (uint8_t)(x >> 40);
		}
		look_around(copy, size);
	}
	free(copy);
	free(p);
}

/* ---- what processes have mapped ---- */
static struct mapping mapped(struct maps *m, uint64_t start, uint64_t end, const char *path, uint64_t ino,
			     uint64_t since)
{
	const struct maps_file f = { path, 1, ino };

	return (struct mapping){ .start = start, .end = end, .since = since,
				 .file = path ? maps_object(m, &f, 0, start, end) : NULL };
}

static const char *at(struct maps *m, int64_t pid, uint64_t addr, uint64_t when)
{
	const struct mapping *x = maps_find(m, pid, addr, when);
	const struct object *o = x ? x->file : NULL;

	return o ? o->name : "-";
}

static bool add(struct maps *m, int64_t pid, const struct mapping *x)
{
	return spaces_add(&m->spaces, spaces_get(&m->spaces, pid), x);
}

#define NOBODY 3000000000ll	/* no process has this ID, nor those around it */

static void test_maps(void **state)
{
	static const int64_t old = NOBODY + 1, child = NOBODY + 2;
	struct maps m;
	struct mapping a, b, c, none;

	(void)state;
	maps_init(&m);
	a = mapped(&m, 0x1000, 0x3000, "/nonexistent/a", 1, 10);
	b = mapped(&m, 0x2000, 0x4000, "/nonexistent/b (deleted)", 2, 20);
	assert_false(add(&m, old, &a));
	assert_false(add(&m, old, &a));
	assert_int_equal(m.spaces.mappings, 1);
	assert_string_equal(at(&m, old, 0x2fff, 0), "a");
	assert_true(add(&m, old, &b));
	assert_string_equal(at(&m, old, 0x2fff, 0), "b");
	assert_string_equal(at(&m, old, 0x2fff, 15), "a");
	assert_string_equal(at(&m, old, 0x2fff, 5), "a");
	assert_string_equal(at(&m, old, 0x1fff, 0), "a");
	assert_string_equal(at(&m, old, 0x4000, 0), "-");

	/* a child has what the parent has, until it runs another program; the parent keeps its own */
	spaces_fork(&m.spaces, child, old, 22);
	assert_string_equal(at(&m, child, 0x2fff, 0), "b");
	spaces_exec(&m.spaces, child, 28);
	assert_string_equal(at(&m, child, 0x2fff, 29), "b");	/* nothing of the program is there yet */
	c = mapped(&m, 0x2000, 0x3000, "/nonexistent/c", 3, 30);
	assert_true(add(&m, child, &c));
	assert_string_equal(at(&m, child, 0x2fff, 0), "c");
	assert_string_equal(at(&m, child, 0x2fff, 30), "c");
	assert_string_equal(at(&m, child, 0x2fff, 25), "b");
	assert_string_equal(at(&m, child, 0x1fff, 25), "a");
	assert_string_equal(at(&m, child, 0x1fff, 30), "-");	/* what the program before had there is gone */
	assert_string_equal(at(&m, old, 0x2fff, 0), "b");
	assert_int_equal(spaces_base(spaces_process(&m.spaces, child), maps_find(&m, child, 0x2fff, 0), 0), 0x2000);

	/* memory without a file hides the file that was there; elsewhere it is not worth a note */
	none = mapped(&m, 0x2000, 0x3000, NULL, 0, 40);
	assert_true(add(&m, old, &none));
	assert_string_equal(at(&m, old, 0x2fff, 0), "-");
	assert_string_equal(at(&m, old, 0x2fff, 39), "b");
	none = mapped(&m, 0x9000, 0xa000, NULL, 0, 40);
	assert_false(add(&m, old, &none));
	assert_int_equal(m.spaces.mappings, 4);

	/* names stay when processes end, and when their ID is another's */
	spaces_exit(&m.spaces, old);
	spaces_exit(&m.spaces, child);
	assert_string_equal(at(&m, child, 0x2fff, 0), "c");
	assert_string_equal(at(&m, old, 0x1fff, 0), "a");
	spaces_fork(&m.spaces, child, NOBODY + 9, 50);
	assert_string_equal(at(&m, child, 0x2fff, 60), "-");
	assert_string_equal(at(&m, child, 0x2fff, 49), "c");
	assert_string_equal(at(&m, child, 0x2fff, 25), "b");
	maps_close(&m);
}

/* Notes that come late, in any order, say the same. */
static void test_maps_late(void **state)
{
	struct maps m;
	struct mapping x[4];

	(void)state;
	for (unsigned order = 0; order < 24; order++) {
		unsigned left[4] = { 0, 1, 2, 3 }, n = 4, pick = order;

		maps_init(&m);
		x[0] = mapped(&m, 0x1000, 0x4000, "/nonexistent/a", 1, 10);
		x[1] = mapped(&m, 0x1000, 0x2000, "/nonexistent/b", 2, 20);
		x[2] = mapped(&m, 0x1000, 0x3000, "/nonexistent/c", 3, 30);
		x[3] = mapped(&m, 0x1000, 0x2000, "/nonexistent/a", 1, 40);
		for (; n; n--) {
			unsigned i = pick % n;

			pick /= n;
			add(&m, NOBODY, &x[left[i]]);
			left[i] = left[n - 1];
		}
		assert_string_equal(at(&m, NOBODY, 0x1000, 15), "a");
		assert_string_equal(at(&m, NOBODY, 0x1000, 25), "b");
		assert_string_equal(at(&m, NOBODY, 0x2000, 25), "a");
		assert_string_equal(at(&m, NOBODY, 0x1000, 35), "c");
		assert_string_equal(at(&m, NOBODY, 0x2000, 45), "c");
		assert_string_equal(at(&m, NOBODY, 0x3000, 45), "a");
		maps_close(&m);
	}
}

static uint64_t settle(const struct maps *m, uint64_t one, uint64_t two, uint64_t from, uint64_t at)
{
	uint64_t addr[2] = { one, two };

	return spaces_settle(&m->spaces, spaces_process(&m->spaces, NOBODY),
			     &(struct symbol_addresses){ addr, two ? 2 : 1 }, from, at);
}

/* Times between which addresses have the same names are one time. */
static void test_settle(void **state)
{
	struct maps m;
	struct mapping x;

	(void)state;
	maps_init(&m);
	assert_int_equal(settle(&m, 0x1000, 0, 5, 50), 0);	/* of nobody */
	x = mapped(&m, 0x1000, 0x2000, "/nonexistent/a", 1, 10);
	add(&m, NOBODY, &x);
	x = mapped(&m, 0x8000, 0x9000, "/nonexistent/b", 2, 20);
	add(&m, NOBODY, &x);
	assert_int_equal(settle(&m, 0x1000, 0x8000, 5, 50), 0);	/* nothing else was there before */
	assert_int_equal(spaces_changed(spaces_process(&m.spaces, NOBODY), 50), 0);
	x = mapped(&m, 0x1000, 0x2000, "/nonexistent/c", 3, 30);
	add(&m, NOBODY, &x);
	assert_int_equal(settle(&m, 0x1000, 0, 5, 29), 0);
	assert_int_equal(settle(&m, 0x1000, 0, 5, 30), 30);
	assert_int_equal(settle(&m, 0x1000, 0x8000, 5, 50), 30);
	assert_int_equal(settle(&m, 0x8000, 0, 5, 50), 0);
	assert_int_equal(settle(&m, 0x1000, 0, 40, 50), 0);
	x = mapped(&m, 0x1000, 0x2000, "/nonexistent/a", 1, 60);
	add(&m, NOBODY, &x);
	assert_int_equal(settle(&m, 0x1000, 0x8000, 5, 70), 0);	/* as at first */
	assert_int_equal(settle(&m, 0x1000, 0x8000, 30, 70), 60);	/* of which nobody asks */
	x = mapped(&m, 0x1000, 0x2000, NULL, 0, 80);
	add(&m, NOBODY, &x);
	assert_int_equal(settle(&m, 0x1000, 0, 5, 90), 80);
	/* a file of the same name is shown alike, where it has the same symbols */
	x = mapped(&m, 0x1000, 0x2000, "/elsewhere/c", 4, 100);
	add(&m, NOBODY, &x);
	assert_int_equal(settle(&m, 0x1000, 0, 5, 110), 30);
	assert_int_equal(spaces_changed(spaces_process(&m.spaces, NOBODY), 110), 100);
	assert_int_equal(spaces_changed(spaces_process(&m.spaces, NOBODY), 99), 80);
	/* another program: what it has from the beginning; where it has nothing */
	spaces_exec(&m.spaces, NOBODY, 120);
	x = mapped(&m, 0x1000, 0x2000, "/nonexistent/a", 1, 130);
	add(&m, NOBODY, &x);
	x = mapped(&m, 0x4000, 0x5000, "/nonexistent/d", 5, 140);
	add(&m, NOBODY, &x);
	assert_int_equal(settle(&m, 0x1000, 0, 5, 150), 0);
	assert_int_equal(settle(&m, 0x4000, 0, 5, 131), 130);
	assert_int_equal(settle(&m, 0x4000, 0, 5, 150), 130);
	assert_int_equal(settle(&m, 0x8000, 0, 5, 150), 130);
	assert_int_equal(spaces_begun(spaces_process(&m.spaces, NOBODY), 150), 130);
	assert_int_equal(spaces_next(spaces_process(&m.spaces, NOBODY), 50), 130);
	assert_int_equal(spaces_next(spaces_process(&m.spaces, NOBODY), 150), 150);
	maps_close(&m);
}

/* One that maps without end: the latest are known, of those that were forgotten nothing wrong is said. */
static void test_maps_endless(void **state)
{
	enum { MANY = 20000 };
	unsigned unknown = 0;
	struct maps m;

	(void)state;
	maps_init(&m);
	for (uint64_t i = 1; i <= MANY; i++) {
		struct mapping x = mapped(&m, 0x1000, 0x2000, i % 2 ? "/nonexistent/odd" : "/nonexistent/even",
					  1 + i % 2, 10 * i);

		add(&m, NOBODY, &x);
	}
	for (uint64_t i = 1; i <= MANY; i++) {
		const char *name = at(&m, NOBODY, 0x1000, 10 * i + 5);

		if (!strcmp(name, "-"))
			unknown++;
		else
			assert_string_equal(name, i % 2 ? "odd" : "even");
	}
	assert_true(unknown > 0 && unknown < MANY);
	assert_int_equal(m.spaces.forgotten, MANY - m.spaces.mappings);
	assert_string_equal(at(&m, NOBODY, 0x1000, 10 * (MANY - 1000)), "even");
	/* process IDs that are used again and again */
	for (uint64_t i = 1; i <= MANY; i++) {
		spaces_fork(&m.spaces, NOBODY + 1, NOBODY, 1000000 + i);
		spaces_exit(&m.spaces, NOBODY + 1);
	}
	assert_true(spaces_process(&m.spaces, NOBODY + 1)->images < 1000);
	assert_string_equal(at(&m, NOBODY + 1, 0x1000, 0), "even");
	assert_string_equal(at(&m, NOBODY + 1, 0x1000, 1000000 + 5), "-");
	maps_close(&m);
}

/* Many processes that come and go: memory stays bounded, the latest ones are known. */
static void test_maps_many(void **state)
{
	enum { MANY = 60000, EACH = 8 };
	struct maps m;
	struct mapping x;

	(void)state;
	maps_init(&m);
	for (int64_t pid = 1; pid <= MANY; pid++) {
		int64_t id = NOBODY + pid;

		spaces_fork(&m.spaces, id, id - 1, 0);
		spaces_exec(&m.spaces, id, 0);
		for (unsigned i = 0; i < EACH; i++) {
			x = mapped(&m, 0x1000 * (2 * i + 1), 0x1000 * (2 * i + 2), "/nonexistent/x", 1 + (pid & 1), 0);
			add(&m, id, &x);
		}
		spaces_exit(&m.spaces, id);
	}
	assert_true(m.spaces.mappings < (1 << 18) + 100);
	assert_string_equal(at(&m, NOBODY + MANY, 0x1000, 0), "x");
	assert_string_equal(at(&m, NOBODY + MANY - 20000, 0x1000, 0), "x");
	assert_string_equal(at(&m, NOBODY + 1, 0x1000, 0), "-");
	/* a list of its own behind a long chain */
	spaces_fork(&m.spaces, NOBODY, NOBODY + MANY, 0);
	spaces_fork(&m.spaces, NOBODY - 1, NOBODY, 0);
	x = mapped(&m, 0x100000, 0x200000, "/nonexistent/y", 9, 0);
	add(&m, NOBODY - 1, &x);
	assert_string_equal(at(&m, NOBODY - 1, 0x1000, 0), "x");
	assert_string_equal(at(&m, NOBODY - 1, 0x100000, 0), "y");
	maps_close(&m);
}

/* ---- the whole ---- */
int symbol_that_is_looked_for(int x);

__attribute__((noinline)) int symbol_that_is_looked_for(int x)
{
	return x * 3 + 1;
}

static void test_self(void **state)
{
	struct symbols *s = symbols_open();
	uint64_t addr = (uintptr_t)symbol_that_is_looked_for, vdso = getauxval(AT_SYSINFO_EHDR);
	struct symbol out;

	(void)state;
	assert_non_null(s);
	symbols_ops.user(s, getpid(), addr + 1, 0, &out);
	assert_string_equal(out.object, "test_symbols");
	assert_string_equal(out.name, "symbol_that_is_looked_for");
	assert_int_equal(out.start, addr);
	assert_true(out.base && out.base < addr);
	symbols_ops.user(s, getpid(), 1, 0, &out);
	assert_null(out.object);
	symbols_ops.user(s, 3000000001, addr, 0, &out);
	assert_null(out.object);
	symbols_ops.user(s, -5, addr, 0, &out);
	assert_null(out.object);
	if (vdso) {
		symbols_ops.user(s, getpid(), vdso + 1, 0, &out);
		assert_string_equal(out.object, "[vdso]");
	}
	symbols_close(s);
	symbols_close(NULL);
}

static void test_vdso(void **state)
{
	struct object *o = object_new("[vdso]", 0, 0);
	uint64_t behind;
	unsigned found = 0;
	char name[64];

	(void)state;
	assert_non_null(o);
	if (!getauxval(AT_SYSINFO_EHDR)) {
		object_free(o);
		skip();
	}
	object_vdso(o);
	for (uint64_t off = 0; off < 16384; off++)
		found += object_find(o, off, &behind, name, sizeof name) &&
			 (strstr(name, "vdso") || strstr(name, "__kernel_"));	/* x86-64, arm64 */
	assert_true(found > 10);
	object_free(o);
	object_free(NULL);
}

/* A burst of process events makes a descriptor readable, before the next periodic reading. */
static void test_burst(void **state)
{
	enum { CPUS = 4096, EVENTS = 10000, PAGE = 4096, MINUTE = 60000 };
	struct symbols *s = symbols_open();
	struct pollfd *fds = calloc(CPUS, sizeof *fds);
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned n = 0;
	int fd;

	(void)state;
	assert_true(s && fds && page != MAP_FAILED);
	assert_false(symbols_fd(s, 0, &fd));
	if (symbols_watch(s)) {		/* no privilege */
		symbols_close(s);
		free(fds);
		munmap(page, PAGE);
		skip();
	}
	for (; n < CPUS && symbols_fd(s, n, &fd); n++)
		fds[n] = (struct pollfd){ .fd = fd, .events = POLLIN };
	assert_true(n > 0);
	for (int i = 0; i < EVENTS; i++)
		assert_int_equal(mprotect(page, PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_EXEC), 0);
	assert_true(poll(fds, n, MINUTE) > 0);
	symbols_close(s);
	free(fds);
	munmap(page, PAGE);
}

/* Names that were looked up before, also while the cache grows. */
static void test_seen(void **state)
{
	struct seen_names s = { 0 };
	unsigned kept = 0;
	char name[16];

	(void)state;
	assert_null(seen_get(&s, 0));
	seen_put(&s, 0, 3, "zero");
	seen_put(&s, 1, 0, NULL);
	assert_string_equal(seen_get(&s, 0)->name, "zero");
	assert_int_equal(seen_get(&s, 0)->distance, 3);
	assert_null(seen_get(&s, 1)->name);
	assert_null(seen_get(&s, 2));
	for (uint64_t round = 0; round < 4; round++) {
		for (uint64_t i = 0; i < 3000; i++) {
			snprintf(name, sizeof name, "f%u", (unsigned)i);
			seen_put(&s, 0x1000 + 16 * i, i, name);
			assert_string_equal(seen_get(&s, 0x1000 + 16 * i)->name, name);
		}
	}
	for (uint64_t i = 0; i < 3000; i++)
		kept += seen_get(&s, 0x1000 + 16 * i) && seen_get(&s, 0x1000 + 16 * i)->distance == i;
	assert_true(kept > 1500 && s.n >= 2048);
	seen_free(&s);
	seen_free(&s);
	assert_null(seen_get(&s, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_kallsyms), cmocka_unit_test(test_elf), cmocka_unit_test(test_elf_shared_page),
		cmocka_unit_test(test_elf_overlap), cmocka_unit_test(test_elf_broken),
		cmocka_unit_test(test_maps), cmocka_unit_test(test_maps_many), cmocka_unit_test(test_maps_late),
		cmocka_unit_test(test_settle), cmocka_unit_test(test_maps_endless), cmocka_unit_test(test_self),
		cmocka_unit_test(test_vdso), cmocka_unit_test(test_burst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
