/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/kernel_types.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <string.h>

#include "base/buf.h"

enum { MAXREFS = 32 };

/* The name of a type, or the given text for an unnamed one. */
static const char *name_or(const struct btf *btf, const struct btf_type *t, const char *otherwise)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	return name && *name ? name : otherwise;
}

static const char *base_text(struct arena *a, const struct btf *btf, const struct btf_type *t)
{
	const char *name;

	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		name = name_or(btf, t, "int");
		return strcmp(name, "_Bool") ? name : "uint8_t";
	case BTF_KIND_TYPEDEF:
		name = name_or(btf, t, "int");
		return strcmp(name, "bool") ? name : "uint8_t";
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD:
		name = name_or(btf, t, NULL);
		return name ? arena_printf(a, "%s %s", btf_is_union(t) ? "union" : "struct", name) : "void";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		name = name_or(btf, t, NULL);
		return name ? arena_printf(a, "enum %s", name) : "int";
	default:
		return "void";
	}
}

const char *kernel_type_text(struct arena *a, const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	unsigned stars = 0;
	struct buf b = { 0 };
	const char *text;

	for (unsigned i = 0; t && i < MAXREFS && (btf_is_mod(t) || btf_is_ptr(t) || btf_is_type_tag(t)); i++) {
		stars += btf_is_ptr(t);
		t = t->type ? btf__type_by_id(btf, t->type) : NULL;
	}
	text = base_text(a, btf, t);
	if (!stars && !strcmp(text, "void"))
		return "int64_t";	/* a small structure passed by value */
	buf_puts(&b, text);
	for (unsigned i = 0; i < stars; i++)
		buf_puts(&b, i ? "*" : " *");
	text = b.failed ? "void *" : arena_strdup(a, buf_str(&b));
	buf_free(&b);
	return text;
}

/* Since Linux 6.16 the file can be mapped; reading it takes a system call for each page. */
static struct btf *map_types(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct btf *btf = NULL;
	struct stat st;
	void *p;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
		if (p != MAP_FAILED) {
			btf = btf__new(p, (uint32_t)st.st_size);
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
	return libbpf_get_error(btf) ? NULL : btf;
}

struct btf *kernel_types_load(void)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *btf = map_types();

	if (!btf)
		btf = btf__load_vmlinux_btf();
	libbpf_set_print(print);
	return libbpf_get_error(btf) ? NULL : btf;
}
