/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loads a set from the bytes of a file. The file is untrusted: any bytes give either a set or an error message. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "aggregation/file.h"
#include "aggregation/func.h"
#include "aggregation/set.h"

enum {
	MAX_KEY = 32768,		/* bytes of one field: more than any option allows */
	MAX_NAME = 4096,
};

/* Rows are larger in memory than in the file. The limit keeps a small file from using a lot of memory. */
#define MEMORY_BASE (16ull << 20)
#define MEMORY_PER_BYTE 4096ull

struct loader {
	struct agg_set *s;
	struct arena *a;
	const uint8_t *p;
	size_t size, at;		/* of the file */
	size_t end;			/* of the current block */
	struct buf *reason;
	bool failed;
	uint64_t memory;		/* bytes left for rows */
	uint32_t version;
	uint64_t *text;			/* a text's number in the file -> in the set */
	uint64_t ntexts;
	struct stack {
		uint32_t n;
		const uint64_t *frames;
	} *stacks;
	uint64_t nstacks;
};

static int load_fail(struct loader *l, size_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Records only the first error: later ones follow from it. */
static int load_fail(struct loader *l, size_t at, const char *fmt, ...)
{
	va_list ap;

	if (l->failed)
		return -1;
	l->failed = true;
	buf_printf(l->reason, "byte %zu: ", at);
	va_start(ap, fmt);
	buf_vprintf(l->reason, fmt, ap);
	va_end(ap);
	return -1;
}

static uint32_t u32_at(const struct loader *l, size_t at)
{
	uint32_t v;

	memcpy(&v, l->p + at, sizeof v);
	return le32toh(v);
}

/* ---- numbers and texts within a block; 0 after an error ---- */

static uint64_t get_uint(struct loader *l, const char *what)
{
	uint64_t v = 0;
	size_t from = l->at;

	for (unsigned shift = 0; l->at < l->end && !l->failed; shift += 7) {
		uint8_t c = l->p[l->at++];

		if (shift == 63 && c > 1)
			break;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
		if (shift == 63)
			break;
	}
	load_fail(l, from, "%s is not a valid number", what);
	return 0;
}

static int64_t get_int(struct loader *l, const char *what)
{
	uint64_t v = get_uint(l, what);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* Reads a count of at most `max`. */
static uint64_t get_count(struct loader *l, const char *what, uint64_t max)
{
	size_t from = l->at;
	uint64_t v = get_uint(l, what);

	if (v <= max)
		return v;
	load_fail(l, from, "%s is %" PRIu64 ", the maximum is %" PRIu64, what, v, max);
	return 0;
}

static uint64_t get_index(struct loader *l, const char *what, uint64_t n)
{
	size_t from = l->at;
	uint64_t v = get_uint(l, what);

	if (v < n || l->failed)
		return l->failed ? 0 : v;
	load_fail(l, from, "%s %" PRIu64 " is out of range: there are %" PRIu64, what, v, n);
	return 0;
}

static const char *get_bytes(struct loader *l, const char *what, size_t max, size_t *n)
{
	size_t left, from = l->at;
	const char *p;

	*n = get_count(l, what, max);
	left = l->end - l->at;
	if (*n > left) {
		load_fail(l, from, "%s of %zu bytes exceeds the remaining %zu", what, *n, left);
		*n = 0;
	}
	p = (const char *)l->p + l->at;
	l->at += *n;
	if (memchr(p, '\0', *n)) {
		load_fail(l, from, "%s contains a zero byte", what);
		*n = 0;
	}
	return p;
}

static const char *get_name(struct loader *l, const char *what)
{
	size_t n;
	const char *p = get_bytes(l, what, MAX_NAME, &n);

	return arena_strndup(l->a, p, n);
}

/* ---- blocks ---- */

/* Begins the next block, which must be of this kind, and sets l->at and l->end to its bytes. */
static int block_begin(struct loader *l, const char *kind)
{
	size_t at = l->at, left = l->size - at, len;

	if (left < FILE_BLOCK + 4)
		return load_fail(l, at, "the file ends here: block '%s' is missing", kind);
	len = u32_at(l, at + 4);
	if (memcmp(l->p + at, kind, 4))
		return load_fail(l, at, "no block '%s'", kind);
	if (len > left - FILE_BLOCK - 4)
		return load_fail(l, at, "block '%s' of %zu bytes exceeds the remaining %zu", kind, len, left);
	if (crc32_z(0, l->p + at, FILE_BLOCK + len) != u32_at(l, at + FILE_BLOCK + len))
		return load_fail(l, at, "block '%s' is damaged: its checksum does not match", kind);
	l->at = at + FILE_BLOCK;
	l->end = l->at + len;
	return 0;
}

static int block_end(struct loader *l)
{
	if (!l->failed && l->at != l->end)
		load_fail(l, l->at, "%zu unexpected bytes at the end of this block", l->end - l->at);
	l->at = l->end + 4;
	return l->failed ? -1 : 0;
}

static int load_header(struct loader *l)
{
	if (l->size < FILE_HEADER || memcmp(l->p, FILE_MAGIC, FILE_MAGIC_LEN))
		return load_fail(l, 0, "not a file of saved aggregations");
	if (crc32(0, l->p, FILE_HEADER - 4) != u32_at(l, FILE_HEADER - 4))
		return load_fail(l, FILE_MAGIC_LEN, "the header is damaged: its checksum does not match");
	l->version = u32_at(l, FILE_MAGIC_LEN);
	if (l->version != FILE_VERSION && l->version != FILE_VERSION_HOST)
		return load_fail(l, FILE_MAGIC_LEN, "format version %u is not supported: this dtr reads versions %d "
				 "and %d", l->version, FILE_VERSION, FILE_VERSION_HOST);
	l->at = FILE_HEADER;
	return 0;
}

static int load_program(struct loader *l)
{
	char *program;

	if (block_begin(l, FILE_PROGRAM) < 0)
		return -1;
	l->s->program_len = l->end - l->at;
	program = arena_alloc(l->a, l->s->program_len + 1);
	memcpy(program, l->p + l->at, l->s->program_len);	/* it may contain NULs */
	l->s->program = program;
	l->at = l->end;
	return block_end(l);
}

static int load_host(struct loader *l)
{
	size_t n;

	if (l->version < FILE_VERSION_HOST)
		return 0;
	if (block_begin(l, FILE_HOST) < 0)
		return -1;
	n = l->end - l->at;
	if (!n || n >= AGG_HOST || memchr(l->p + l->at, '\0', n))
		return load_fail(l, l->at, "invalid name of a host");
	l->s->host = arena_strndup(l->a, (const char *)l->p + l->at, n);
	l->at = l->end;
	return block_end(l);
}

static int load_texts(struct loader *l)
{
	if (block_begin(l, FILE_TEXTS) < 0)
		return -1;
	l->ntexts = get_count(l, "the number of texts", l->end - l->at);
	l->text = arena_calloc(l->a, l->ntexts + 1, sizeof *l->text);
	for (uint64_t i = 0; i < l->ntexts && !l->failed; i++) {
		size_t n;
		const char *p = get_bytes(l, "a text", l->size, &n);

		l->text[i] = agg_set_text(l->s, p, n);
	}
	return block_end(l);
}

static int load_stacks(struct loader *l)
{
	if (block_begin(l, FILE_STACKS) < 0)
		return -1;
	l->nstacks = get_count(l, "the number of stacks", l->end - l->at);
	l->stacks = arena_calloc(l->a, l->nstacks + 1, sizeof *l->stacks);
	for (uint64_t i = 0; i < l->nstacks && !l->failed; i++) {
		uint32_t n = (uint32_t)get_count(l, "the number of frames", l->end - l->at);
		uint64_t *frames = arena_calloc(l->a, n + 1, sizeof *frames);

		for (uint32_t k = 0; k < n && !l->failed; k++)
			frames[k] = l->text[get_index(l, "text", l->ntexts)];
		l->stacks[i] = (struct stack){ n, frames };
	}
	return block_end(l);
}

/* ---- aggregations ---- */

/* Parameters are valid if the function's check of a script's parameters accepts them unchanged. */
static int check_spec(struct loader *l, struct agg_desc *d, size_t at)
{
	struct agg_paramarg arg[AGG_MAXPARAMS];
	struct agg_spec given = d->spec;
	const struct loc nowhere = { 0 };
	struct diags diags;

	for (unsigned i = 0; i < given.nparams; i++)
		arg[i] = (struct agg_paramarg){ .is_const = true, .value = given.p[i] };
	if (!d->func->check)
		return given.nparams ? load_fail(l, at, "%s() has no parameters", d->func->name) : 0;
	diags_init(&diags, l->a);
	if (given.nparams < d->func->min_params || d->func->check(&d->spec, arg, given.nparams, nowhere, &diags) < 0 ||
	    d->spec.nparams != given.nparams || memcmp(d->spec.p, given.p, sizeof given.p))
		return load_fail(l, at, "invalid parameters of %s()", d->func->name);
	return 0;
}

static int load_func(struct loader *l, struct agg_desc *d)
{
	size_t at = l->at;
	const char *name = get_name(l, "the name of a function");

	d->func = agg_func_find(name);
	if (!d->func)
		return load_fail(l, at, "no aggregating function has this name");
	at = l->at;
	d->spec.nparams = (unsigned)get_count(l, "the number of parameters", AGG_MAXPARAMS);
	for (unsigned i = 0; i < d->spec.nparams; i++)
		d->spec.p[i] = get_int(l, "a parameter");
	return l->failed ? -1 : check_spec(l, d, at);
}

static bool key_is_possible(const struct val_field *f)
{
	switch (f->kind) {
	case VAL_INT:
		return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
	case VAL_PTR:
	case VAL_SYM:
	case VAL_MOD:
	case VAL_CGROUP:
	case VAL_CONTAINER:
	case VAL_POD:
	case VAL_IMAGE:
		return f->size == 8;
	case VAL_USYM:
	case VAL_UMOD:
	case VAL_UADDR:
		return f->size == 16;
	case VAL_STACK:
	case VAL_USTACK:
		return f->size % 8 == 0 && f->size >= (f->kind == VAL_STACK ? 8 : 16) && f->size <= MAX_KEY;
	case VAL_STR:
	case VAL_BYTES:
		return f->size && f->size <= MAX_KEY;
	default:
		return false;
	}
}

static void load_keys(struct loader *l, struct agg_desc *d)
{
	d->nkeys = (unsigned)get_count(l, "the number of keys", AGG_MAXKEYS);
	for (unsigned i = 0; i < d->nkeys && !l->failed; i++) {
		size_t at = l->at;

		d->key[i].kind = (uint8_t)get_count(l, "the type of a key", VAL_IMAGE);
		d->key[i].is_signed = get_count(l, "the sign of a key", 1);
		d->key[i].size = (uint32_t)get_count(l, "the size of a key", MAX_KEY);
		if (!l->failed && !key_is_possible(&d->key[i]))
			load_fail(l, at, "invalid type of a key");
	}
}

static void load_key(struct loader *l, const struct val_field *f, uint8_t *key)
{
	uint32_t head = f->kind == VAL_USTACK ? 8 : 0;
	uint8_t *to = key + f->off + head;
	const struct stack *stack;
	size_t at = l->at, n = f->size;
	const char *text;
	uint64_t number;
	int64_t v;

	switch (f->kind) {
	case VAL_INT:
	case VAL_PTR:
		v = get_int(l, "a key");
		memcpy(to, &v, f->size);
		if (!l->failed && val_int(f, key) != v)
			load_fail(l, at, "key %" PRId64 " does not fit in %u bytes", v, f->size);
		break;
	case VAL_STR:
		text = get_bytes(l, "a string", f->size, &n);
		memcpy(to, text, n);
		break;
	case VAL_BYTES:
		if (l->end - at < n) {
			load_fail(l, at, "a key of %zu bytes exceeds the remaining %zu", n, l->end - at);
			break;
		}
		memcpy(to, l->p + at, n);
		l->at += n;
		break;
	case VAL_STACK:
	case VAL_USTACK:
		stack = &l->stacks[get_index(l, "stack", l->nstacks)];
		if (stack->n > (f->size - head) / 8)
			load_fail(l, at, "a stack of %u frames is longer than this key", stack->n);
		else if (!l->failed)
			memcpy(to, stack->frames, 8 * (size_t)stack->n);
		break;
	default:
		number = l->text[get_index(l, "text", l->ntexts)];
		memcpy(to + f->size - 8, &number, sizeof number);
	}
}

static void load_value(struct loader *l, int64_t *v, uint32_t words)
{
	uint64_t used = get_count(l, "the number of words of a value", words), at = 0;

	memset(v, 0, 8 * (size_t)words);
	for (uint64_t i = 0; i < used && !l->failed; i++) {
		size_t from = l->at;

		at += get_count(l, "a gap within a value", words);
		if (at >= words) {
			load_fail(l, from, "a value has %u words, not %" PRIu64, words, at + 1);
			return;
		}
		v[at++] = get_int(l, "a value");
	}
}

static int load_rows(struct loader *l, struct agg_table *t, uint64_t n, uint8_t *key, int64_t *value)
{
	const struct agg_desc *d = t->desc;
	uint64_t size = d->keysize + d->valsize + sizeof(struct agg_row);

	for (uint64_t i = 0; i < n && !l->failed; i++) {
		size_t at = l->at;

		memset(key, 0, d->keysize);
		for (unsigned k = 0; k < d->nkeys && !l->failed; k++)
			load_key(l, &d->key[k], key);
		load_value(l, value, d->valsize / 8);
		if (l->memory < size)
			return load_fail(l, at, "the rows take too much memory for a file of this size");
		l->memory -= size;
		if (!l->failed && agg_table_put(t, key, value) < 0)
			return load_fail(l, at, "out of memory");
	}
	return 0;
}

static int load_agg(struct loader *l, unsigned i)
{
	struct agg_table *t = &l->s->tables[i];
	uint64_t nrows;
	uint8_t *key;
	int64_t *value;

	t->normal = get_uint(l, "the divisor");
	if (!t->normal)		/* a negative one is written as 0 and its absolute value */
		t->normal = -(__int128)get_uint(l, "the divisor");
	t->normal = t->normal ? t->normal : 1;
	nrows = get_count(l, "the number of rows", l->end - l->at);
	key = calloc(1, t->desc->keysize + 1);
	value = calloc(1, t->desc->valsize);
	if (key && value)
		load_rows(l, t, nrows, key, value);
	else
		load_fail(l, l->at, "out of memory");
	free(key);
	free(value);
	return block_end(l);
}

/* Reads the blocks twice: first the descriptions, from which the tables are made, then the rows. */
static int load_aggs(struct loader *l, unsigned n)
{
	size_t first = l->at, *rows = arena_calloc(l->a, n, sizeof *rows);

	for (unsigned i = 0; i < n; i++) {
		struct agg_desc *d = &l->s->descs[i];

		if (block_begin(l, FILE_AGG) < 0)
			return -1;
		d->name = get_name(l, "the name of an aggregation");
		if (l->failed || load_func(l, d) < 0)
			return -1;
		load_keys(l, d);
		if (l->failed)
			return -1;
		rows[i] = l->at;
		l->at = l->end;
		block_end(l);
	}
	agg_set_tables(l->s);
	l->at = first;
	for (unsigned i = 0; i < n; i++) {
		if (block_begin(l, FILE_AGG) < 0)
			return -1;
		l->at = rows[i];
		if (load_agg(l, i) < 0)
			return -1;
	}
	return 0;
}

/* The number of aggregation blocks from here on. */
static unsigned count_aggs(const struct loader *l)
{
	size_t at = l->at;
	unsigned n = 0;

	while (l->size - at >= FILE_BLOCK + 4 && !memcmp(l->p + at, FILE_AGG, 4)) {
		size_t len = u32_at(l, at + 4);

		n++;
		if (len > l->size - at - FILE_BLOCK - 4)
			break;
		at += FILE_BLOCK + len + 4;
	}
	return n;
}

size_t agg_load_wants(size_t *at, const void *file, size_t have)
{
	static const char kinds[][4] = { FILE_PROGRAM, FILE_HOST, FILE_TEXTS, FILE_STACKS, FILE_AGG, FILE_END };
	const struct loader l = { .p = file, .size = have };
	unsigned kind;

	if (memcmp(l.p, FILE_MAGIC, have < FILE_MAGIC_LEN ? have : FILE_MAGIC_LEN))
		return 0;
	if (*at < FILE_HEADER)
		*at = FILE_HEADER;
	while (have > *at && have - *at >= FILE_BLOCK) {
		for (kind = 0; kind < sizeof kinds / sizeof kinds[0] && memcmp(l.p + *at, kinds[kind], 4); kind++)
			;
		if (kind == sizeof kinds / sizeof kinds[0])
			return 0;
		*at += FILE_BLOCK + (size_t)u32_at(&l, *at + 4) + 4;
		if (!memcmp(kinds[kind], FILE_END, 4))
			return *at;
	}
	return *at + FILE_BLOCK;
}

int agg_load(struct agg_set *s, struct arena *a, const void *file, size_t size, struct buf *reason)
{
	struct loader l = { .s = s, .a = a, .p = file, .size = size, .reason = reason,
			    .memory = MEMORY_BASE + size * MEMORY_PER_BYTE };

	agg_set_open(s, a, 0);
	if (load_header(&l) < 0 || load_program(&l) < 0 || load_host(&l) < 0 || load_texts(&l) < 0 ||
	    load_stacks(&l) < 0)
		return -1;
	s->n = count_aggs(&l);
	s->descs = arena_calloc(a, s->n, sizeof *s->descs);
	if (load_aggs(&l, s->n) < 0 || block_begin(&l, FILE_END) < 0 || block_end(&l) < 0)
		return -1;
	if (l.at != l.size)
		return load_fail(&l, l.at, "%zu unexpected bytes after the end", l.size - l.at);
	return 0;
}
