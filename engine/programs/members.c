/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/members.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 16,			/* of anonymous structures and base classes */
	DIMENSIONS = 16,
};

/* What the part of the path that was read so far names. */
struct follow {
	const struct debuginfo *info;
	const struct dwinfo *dw;
	Dwarf_Die type;			/* without typedef and qualifiers */
	unsigned dimension;		/* of an array: indices so far */
	uint64_t off;
	bool bits;			/* a bit-field */
	char *reason;
	size_t size;
};

__attribute__((format(printf, 2, 3)))
static int follow_refuse(struct follow *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->reason, f->size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* ---- types ---- */
static bool is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Stores the lengths of the dimensions, 0 = unknown. Returns their number. */
static unsigned array_lengths(const struct follow *f, Dwarf_Die *array, uint64_t length[DIMENSIONS])
{
	unsigned n = 0;
	Dwarf_Die die;
	uint64_t last;

	if (f->dw->child(array, &die) != 0)
		return 0;
	do {
		if (f->dw->tag(&die) != DW_TAG_subrange_type || n == DIMENSIONS)
			continue;
		if (!debuginfo_number(f->info, &die, DW_AT_count, &length[n]))
			length[n] = debuginfo_number(f->info, &die, DW_AT_upper_bound, &last) ? last + 1 : 0;
		n++;
	} while (debuginfo_next(f->info, &die));
	return n;
}

/* The size in bytes, 0 = unknown. dimension: of an array, the first ones that an index has chosen. */
static uint64_t size_of(const struct follow *f, Dwarf_Die *type, unsigned dimension, unsigned depth)
{
	uint64_t size = 0, length[DIMENSIONS];
	Dwarf_Die element;
	unsigned n;

	if (f->dw->tag(type) != DW_TAG_array_type)
		return debuginfo_number(f->info, type, DW_AT_byte_size, &size) ? size :
		       f->dw->tag(type) == DW_TAG_pointer_type ? sizeof(void *) : 0;
	if (depth > DEPTH_MAX || !debuginfo_type(f->info, type, &element))
		return 0;
	size = size_of(f, &element, 0, depth + 1);
	n = array_lengths(f, type, length);
	for (unsigned i = dimension; i < n; i++)
		size *= length[i];
	return size;
}

static bool is_signed(const struct follow *f, Dwarf_Die type)
{
	uint64_t encoding;

	if (f->dw->tag(&type) == DW_TAG_enumeration_type &&
	    !debuginfo_number(f->info, &type, DW_AT_encoding, &encoding)) {
		Dwarf_Die base;

		if (!debuginfo_type(f->info, &type, &base))
			return false;
		type = base;
	}
	return debuginfo_number(f->info, &type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char);
}

/* ---- members ---- */
static bool find_member(struct follow *f, Dwarf_Die *record, const char *name, uint64_t off, unsigned depth);

static bool is_member(struct follow *f, Dwarf_Die *die, const char *name, uint64_t off, unsigned depth)
{
	const char *own = f->dw->diename(die);
	uint64_t at = 0, bits;
	int tag = f->dw->tag(die);
	Dwarf_Die type;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !debuginfo_type(f->info, die, &type))
		return false;
	debuginfo_number(f->info, die, DW_AT_data_member_location, &at);
	if (!own && is_record(f->dw->tag(&type)))
		return find_member(f, &type, name, off + at, depth + 1);
	if (tag != DW_TAG_member || !own || strcmp(own, name) || f->dw->hasattr(die, DW_AT_declaration))
		return false;
	f->bits = debuginfo_number(f->info, die, DW_AT_bit_size, &bits);
	f->off += off + at;
	f->type = type;
	f->dimension = 0;
	return true;
}

/* The members of anonymous structures and of base classes are members. Base classes have no name here. */
static bool find_member(struct follow *f, Dwarf_Die *record, const char *name, uint64_t off, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || f->dw->child(record, &die) != 0)
		return false;
	do {
		if (is_member(f, &die, name, off, depth))
			return true;
	} while (debuginfo_next(f->info, &die));
	return false;
}

static int follow_member(struct follow *f, const char **path)
{
	size_t n = strcspn(++*path, ".[");
	const char *type;
	char name[256];

	if (!n || n >= sizeof name)
		return follow_refuse(f, "a name is missing after '.'");
	memcpy(name, *path, n);
	name[n] = '\0';
	*path += n;
	if (f->dw->tag(&f->type) == DW_TAG_pointer_type)
		return follow_refuse(f, "what comes before '.%s' is a pointer: only its own value can be watched",
				     name);
	if (!is_record(f->dw->tag(&f->type)))
		return follow_refuse(f, "what comes before '.%s' is not a structure", name);
	type = f->dw->diename(&f->type);
	if (!find_member(f, &f->type, name, 0, 0))
		return follow_refuse(f, "%s has no member '%s'", type ? type : "the structure", name);
	return 0;
}

/* ---- elements ---- */
static int follow_element(struct follow *f, const char **path)
{
	uint64_t length[DIMENSIONS], index;
	Dwarf_Die element;
	unsigned n;
	char *end;

	index = strtoull(*path + 1, &end, 0);
	if (!isdigit((unsigned char)(*path)[1]) || *end != ']')
		return follow_refuse(f, "an index must be a number, as in [3]");
	*path = end + 1;
	if (f->dw->tag(&f->type) == DW_TAG_pointer_type)
		return follow_refuse(f, "what comes before '[' is a pointer: only its own value can be watched");
	n = f->dw->tag(&f->type) == DW_TAG_array_type ? array_lengths(f, &f->type, length) : 0;
	if (f->dimension >= n)
		return follow_refuse(f, "what comes before '[' is not an array");
	if (length[f->dimension] && index >= length[f->dimension])
		return follow_refuse(f, "index %llu is outside of the array, which has %llu elements",
				     (unsigned long long)index, (unsigned long long)length[f->dimension]);
	f->off += index * size_of(f, &f->type, ++f->dimension, 0);
	if (f->dimension == n && debuginfo_type(f->info, &f->type, &element)) {
		f->type = element;
		f->dimension = 0;
	}
	return 0;
}

static int follow_path(struct follow *f, const char *path)
{
	int r = 0;

	while (*path && !r) {
		if (f->bits)
			return follow_refuse(f, "'%s' follows a bit-field", path);
		if (*path != '.' && *path != '[')
			return follow_refuse(f, "'.' or '[' is missing before '%s'", path);
		r = *path == '.' ? follow_member(f, &path) : follow_element(f, &path);
	}
	if (!r && f->bits)
		return follow_refuse(f, "it is a bit-field, which has no address of its own");
	return r;
}

/* What to name instead of something that is too large. */
static int check_size(struct follow *f, uint64_t size)
{
	int tag = f->dw->tag(&f->type);

	if (size == 1 || size == 2 || size == 4 || size == 8)
		return 0;
	if (!size)
		return follow_refuse(f, "the size of its type is not known");
	return follow_refuse(f, "it has %llu bytes, and a hardware breakpoint covers 1, 2, 4 or 8%s",
			     (unsigned long long)size,
			     tag == DW_TAG_array_type ? ": name an element, as in NAME[0]" :
			     is_record(tag) ? ": name a member, as in NAME.MEMBER" : "");
}

int members_follow(const struct debuginfo *d, Dwarf_Die *variable, const char *path, struct variable_part *out,
		   char *reason, size_t size)
{
	struct follow f = { .info = d, .dw = &d->dw, .reason = reason, .size = size };
	int r = 0;

	if (!debuginfo_type(f.info, variable, &f.type))
		return follow_refuse(&f, "its type is not known");
	r = follow_path(&f, path);
	if (!r)
		r = check_size(&f, size_of(&f, &f.type, f.dimension, 0));
	out->off = f.off;
	out->size = size_of(&f, &f.type, f.dimension, 0);
	out->is_signed = is_signed(&f, f.type);
	return r;
}
