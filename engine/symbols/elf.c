/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/elf.h"

#include <errno.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NOTES_MAX = 64 * 1024,	/* bytes of ELF notes that are searched at most */
	NATIVE_DATA = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
};

bool elf_read(const struct elf *e, uint64_t off, void *buf, size_t n)
{
	uint8_t *p = buf;

	if (off > e->size || n > e->size - off)
		return false;
	if (e->mem) {
		memcpy(buf, e->mem + off, n);
		return true;
	}
	while (n) {
		ssize_t got = pread(e->fd, p, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && e->err)
			*e->err = errno;
		if (got <= 0)
			return false;
		p += got;
		off += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

bool elf_string(const struct elf *e, uint64_t off, char *buf, size_t n)
{
	if (!n || off >= e->size)
		return false;
	if (n - 1 > e->size - off)
		n = (size_t)(e->size - off) + 1;
	buf[n - 1] = '\0';
	return elf_read(e, off, buf, n - 1);
}

/* ---- headers ---- */
struct header {
	uint64_t phoff, shoff;
	unsigned phnum, phentsize, shnum, shentsize, shstrndx;
	uint16_t machine;
};

#define HEADER(type, h) (struct header){ (h).e_phoff, (h).e_shoff, (h).e_phnum, (h).e_phentsize, (h).e_shnum, \
					 (h).e_shentsize, (h).e_shstrndx, (h).e_machine }

static bool header_read(struct elf *e, struct header *h)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;

	if (!elf_read(e, 0, ident, sizeof ident) || memcmp(ident, ELFMAG, SELFMAG) || ident[EI_DATA] != NATIVE_DATA)
		return false;
	e->is64 = ident[EI_CLASS] == ELFCLASS64;
	if (e->is64 && elf_read(e, 0, &h64, sizeof h64)) {
		*h = HEADER(Elf64_Ehdr, h64);
		return h->phentsize == sizeof(Elf64_Phdr) || !h->phnum;
	}
	if (ident[EI_CLASS] == ELFCLASS32 && elf_read(e, 0, &h32, sizeof h32)) {
		*h = HEADER(Elf32_Ehdr, h32);
		return h->phentsize == sizeof(Elf32_Phdr) || !h->phnum;
	}
	return false;
}

static void loads_read(struct elf *e, const struct header *h)
{
	for (unsigned i = 0; i < h->phnum && e->nloads < ELF_MAXLOADS; i++) {
		uint64_t at = h->phoff + (uint64_t)i * h->phentsize;
		Elf64_Phdr p64;
		Elf32_Phdr p32;

		if (e->is64 && elf_read(e, at, &p64, sizeof p64)) {
			if (p64.p_type == PT_LOAD)
				e->load[e->nloads++] = (struct elf_load){ p64.p_offset, p64.p_vaddr, p64.p_filesz,
								      p64.p_flags & PF_X };
		} else if (!e->is64 && elf_read(e, at, &p32, sizeof p32)) {
			if (p32.p_type == PT_LOAD)
				e->load[e->nloads++] = (struct elf_load){ p32.p_offset, p32.p_vaddr, p32.p_filesz,
								      p32.p_flags & PF_X };
		}
	}
}

#define SECTION(s) (struct elf_section){ \
	(s).sh_name, (s).sh_type, (s).sh_link, (s).sh_addr, (s).sh_offset, (s).sh_size, \
	(s).sh_entsize, (s).sh_flags }

static bool section_read(const struct elf *e, uint64_t at, struct elf_section *out)
{
	Elf64_Shdr s64;
	Elf32_Shdr s32;

	if (e->is64 ? !elf_read(e, at, &s64, sizeof s64) : !elf_read(e, at, &s32, sizeof s32))
		return false;
	*out = e->is64 ? SECTION(s64) : SECTION(s32);
	return true;
}

/* A file without sections is valid: it has no symbols. */
static bool sections_read(struct elf *e, const struct header *h)
{
	unsigned want = e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), n = h->shnum;
	struct elf_section first;

	if (!h->shoff || h->shentsize != want || !section_read(e, h->shoff, &first))
		return true;
	if (!n)		/* the first section header contains the number of sections */
		n = first.size > ELF_MAXSECTIONS ? ELF_MAXSECTIONS : (unsigned)first.size;
	if (n > (e->size - h->shoff) / want)
		n = (unsigned)((e->size - h->shoff) / want);
	e->names = h->shstrndx == SHN_XINDEX ? first.link : h->shstrndx;
	e->sections = calloc(n ? n : 1, sizeof *e->sections);
	if (!e->sections) {
		e->nomem = true;
		return false;
	}
	for (; e->nsections < n; e->nsections++)
		if (!section_read(e, h->shoff + (uint64_t)e->nsections * want, &e->sections[e->nsections]))
			break;
	return true;
}

static bool image_open(struct elf *e)
{
	struct header h;

	if (!header_read(e, &h) || !sections_read(e, &h)) {
		elf_close(e);
		return false;
	}
	e->machine = h.machine;
	loads_read(e, &h);
	return true;
}

bool elf_open_fd(struct elf *e, int fd, int *err)
{
	struct stat st;

	*e = (struct elf){ .fd = fd, .err = err };
	if (fd < 0)
		return false;
	if (fstat(fd, &st)) {
		if (err)
			*err = errno;
		elf_close(e);
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		elf_close(e);
		return false;
	}
	e->size = (uint64_t)st.st_size;
	return image_open(e);
}

bool elf_open_own(struct elf *e, void *mem, size_t size)
{
	*e = (struct elf){ .fd = -1, .mem = mem, .own = mem, .size = size };
	return image_open(e);
}

bool elf_open_mem(struct elf *e, const void *mem, size_t size)
{
	*e = (struct elf){ .fd = -1, .mem = mem, .size = size };
	return image_open(e);
}

void elf_close(struct elf *e)
{
	if (e->fd >= 0)
		close(e->fd);
	free(e->own);
	free(e->sections);
	*e = (struct elf){ .fd = -1, .nomem = e->nomem };
}

/* ---- sections ---- */
const struct elf_section *elf_section_typed(const struct elf *e, uint32_t type)
{
	for (unsigned i = 0; i < e->nsections; i++)
		if (e->sections[i].type == type)
			return &e->sections[i];
	return NULL;
}

const struct elf_section *elf_section_named(const struct elf *e, const char *name)
{
	char buf[64];

	for (unsigned i = 0; e->names < e->nsections && i < e->nsections; i++)
		if (elf_string(e, e->sections[e->names].off + e->sections[i].name, buf, sizeof buf) &&
		    !strcmp(buf, name))
			return &e->sections[i];
	return NULL;
}

unsigned elf_notes_build_id(const void *notes, size_t n, uint8_t id[ELF_BUILDID])
{
	const uint8_t *p = notes;
	Elf32_Nhdr h;	/* same layout in both classes */

	while (n >= sizeof h) {
		size_t name, desc;

		memcpy(&h, p, sizeof h);
		name = ((size_t)h.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)h.n_descsz + 3) & ~(size_t)3;
		p += sizeof h;
		n -= sizeof h;
		if (name > n || desc > n - name)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && !memcmp(p, "GNU", 4) &&
		    h.n_descsz <= ELF_BUILDID) {
			memcpy(id, p + name, h.n_descsz);
			return h.n_descsz;
		}
		p += name + desc;
		n -= name + desc;
	}
	return 0;
}

unsigned elf_build_id(const struct elf *e, uint8_t id[ELF_BUILDID])
{
	unsigned found = 0;

	for (unsigned i = 0; i < e->nsections && !found; i++) {
		const struct elf_section *s = &e->sections[i];
		uint8_t *notes;

		if (s->type != SHT_NOTE || s->size > NOTES_MAX)
			continue;
		notes = malloc((size_t)s->size + 1);
		if (notes && elf_read(e, s->off, notes, (size_t)s->size))
			found = elf_notes_build_id(notes, (size_t)s->size, id);
		free(notes);
	}
	return found;
}

bool elf_vaddr(const struct elf *e, uint64_t off, uint64_t *vaddr)
{
	const struct elf_load *found = NULL;

	for (unsigned i = 0; i < e->nloads && !(found && found->code); i++) {
		const struct elf_load *l = &e->load[i];

		if (off - l->off < l->size && (l->code || !found))
			found = l;
	}
	if (found)
		*vaddr = off - found->off + found->vaddr;
	return found;
}

bool elf_offset(const struct elf *e, uint64_t vaddr, uint64_t *off)
{
	for (unsigned i = 0; i < e->nloads; i++) {
		if (vaddr - e->load[i].vaddr >= e->load[i].size)
			continue;
		*off = vaddr - e->load[i].vaddr + e->load[i].off;
		return true;
	}
	return false;
}

bool elf_code(const struct elf *e, uint64_t vaddr, uint64_t *off, uint64_t *rest)
{
	for (unsigned i = 0; i < e->nloads; i++) {
		if (!e->load[i].code || vaddr - e->load[i].vaddr >= e->load[i].size)
			continue;
		*off = vaddr - e->load[i].vaddr + e->load[i].off;
		*rest = e->load[i].size - (vaddr - e->load[i].vaddr);
		return true;
	}
	return false;
}

bool elf_bias(const struct elf *e, uint64_t start, uint64_t off, uint64_t *bias)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < e->nloads; i++) {
		const struct elf_load *l = &e->load[i];

		if (!l->code || off < (l->off & ~(page - 1)) || off >= l->off + l->size)
			continue;
		*bias = start - off + l->off - l->vaddr;
		return true;
	}
	return false;
}

bool elf_dynamic(const struct elf *e, const struct elf_section *d, unsigned i, int64_t *tag, uint64_t *value)
{
	Elf64_Dyn wide = { 0 };
	Elf32_Dyn narrow = { 0 };
	size_t size = e->is64 ? sizeof wide : sizeof narrow;

	if (i >= ELF_MAXDYNAMIC || (i + 1) * size > d->size)
		return false;
	if (!elf_read(e, d->off + i * size, e->is64 ? (void *)&wide : (void *)&narrow, size))
		return false;
	*tag = e->is64 ? wide.d_tag : narrow.d_tag;
	*value = e->is64 ? wide.d_un.d_val : narrow.d_un.d_val;
	return *tag != DT_NULL;
}

void elf_sym_get(const struct elf *e, const void *entry, struct elf_sym *out)
{
	Elf64_Sym s64;
	Elf32_Sym s32;

	if (e->is64) {
		memcpy(&s64, entry, sizeof s64);
		*out = (struct elf_sym){ s64.st_name, ELF64_ST_TYPE(s64.st_info), ELF64_ST_BIND(s64.st_info),
					 s64.st_shndx, s64.st_value, s64.st_size };
	} else {
		memcpy(&s32, entry, sizeof s32);
		*out = (struct elf_sym){ s32.st_name, ELF32_ST_TYPE(s32.st_info), ELF32_ST_BIND(s32.st_info),
					 s32.st_shndx, s32.st_value, s32.st_size };
	}
}
