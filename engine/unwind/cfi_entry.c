/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/cfi_entry.h"

#include <dwarf.h>

#define LENGTH_64_BIT 0xffffffffu	/* a length of 64 bits follows */

/* ---- entries ---- */

/* Sets e->cie and e->is_cie. `at`: offset of the ID. Returns false if the CIE of an FDE is outside of the section. */
static bool entry_kind(const struct cfi_section *s, struct cfi_entry *e, uint64_t at, unsigned bytes)
{
	uint64_t id = cfi_fixed(&e->body, bytes), all = bytes == 8 ? UINT64_MAX : UINT32_MAX;

	e->is_cie = id == (s->eh_frame ? 0 : all);
	if (e->body.bad || (!e->is_cie && s->eh_frame && id > at))
		return false;
	e->cie = s->eh_frame ? at - id : id;
	return e->is_cie || e->cie < s->size;
}

enum cfi_found cfi_entry_next(const struct cfi_section *s, uint64_t *off, struct cfi_entry *out)
{
	struct cfi_bytes b = { s->data + *off, s->data + s->size, false };
	unsigned bytes = 4;
	uint64_t length = 0;

	while (!length && b.end - b.p >= 4) {	/* a length of 0 ends what a linker took from one file */
		*off = (uint64_t)(b.p - s->data);
		length = cfi_fixed(&b, 4);
	}
	if (!length)
		return CFI_NOTHING;
	if (length == LENGTH_64_BIT) {
		bytes = 8;
		length = cfi_fixed(&b, 8);
	}
	if (b.bad || length > (uint64_t)(b.end - b.p))
		return CFI_DAMAGED;
	*out = (struct cfi_entry){ .off = *off, .body = { b.p, b.p + length, false } };
	*off = (uint64_t)(b.p - s->data) + length;
	return entry_kind(s, out, (uint64_t)(b.p - s->data), bytes) ? CFI_ENTRY : CFI_INVALID;
}

/* ---- addresses ---- */
static uint64_t encoded_number(struct cfi_bytes *b, unsigned form, unsigned word)
{
	switch (form) {
	case DW_EH_PE_absptr: return cfi_fixed(b, word);
	case DW_EH_PE_uleb128: return cfi_uleb(b);
	case DW_EH_PE_udata2: return cfi_fixed(b, 2);
	case DW_EH_PE_udata4: return cfi_fixed(b, 4);
	case DW_EH_PE_udata8: case DW_EH_PE_sdata8: return cfi_fixed(b, 8);
	case DW_EH_PE_sleb128: return (uint64_t)cfi_sleb(b);
	case DW_EH_PE_sdata2: return (uint64_t)(int16_t)cfi_fixed(b, 2);
	case DW_EH_PE_sdata4: return (uint64_t)(int32_t)cfi_fixed(b, 4);
	}
	b->bad = true;
	return 0;
}

uint64_t cfi_address(const struct cfi_section *s, const struct cfi_cie *c, uint8_t encoding, struct cfi_bytes *b)
{
	uint64_t base = 0, v;

	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		base = s->addr + (uint64_t)(b->p - s->data);
	else if (encoding & 0x70)
		b->bad = true;
	if (encoding & DW_EH_PE_indirect)
		b->bad = true;
	v = base + encoded_number(b, encoding & 0x0f, c->word);
	b->bad |= c->word == 4 && v > UINT32_MAX;
	return v;
}

/* ---- CIEs ---- */

/* Reads what the augmentation string a, which begins with a `z`, says. */
static void augmentation_take(struct cfi_bytes b, const uint8_t *a, struct cfi_cie *out)
{
	for (; *a && !b.bad; a++) {
		uint8_t encoding;

		if (*a == 'S')
			out->signal = true;
		if (*a != 'L' && *a != 'P' && *a != 'R')
			continue;
		encoding = (uint8_t)cfi_fixed(&b, 1);
		if (*a == 'R')
			out->encoding = encoding;
		else if (*a == 'P' && encoding != DW_EH_PE_omit)	/* a routine that unwinding does not need */
			encoded_number(&b, encoding & 0x0f, out->word);
	}
	out->insns.bad |= b.bad;
}

/* Version 4 specifies the sizes of addresses and of segments, which the machines supported do not have. */
static bool version_take(struct cfi_bytes *b, unsigned version, const struct cfi_cie *c)
{
	if (version == 1 || version == 3)
		return true;
	return version == 4 && cfi_fixed(b, 1) == c->word && !cfi_fixed(b, 1);
}

bool cfi_cie_read(const struct cfi_section *s, const struct cfi_entry *e, struct cfi_cie *out)
{
	struct cfi_bytes b = e->body, data;
	unsigned version = (unsigned)cfi_fixed(&b, 1);
	const uint8_t *a = b.p;

	*out = (struct cfi_cie){ .word = (uint8_t)(s->machine->bits / 8), .encoding = DW_EH_PE_absptr };
	while (cfi_fixed(&b, 1))
		;
	if (b.bad || !version_take(&b, version, out))
		return false;
	out->code_align = cfi_uleb(&b);
	out->data_align = cfi_sleb(&b);
	out->ra = version == 1 ? cfi_fixed(&b, 1) : cfi_uleb(&b);
	out->sized = *a == 'z';
	if (!out->sized && *a)
		return false;
	if (out->sized) {
		uint64_t length = cfi_uleb(&b);

		data = b;
		cfi_skip(&b, length);
		data.end = b.p;
		augmentation_take(data, a + 1, out);
	}
	b.bad |= out->insns.bad;
	out->insns = b;
	return !b.bad;
}

/* ---- FDEs ---- */
bool cfi_fde_read(const struct cfi_section *s, const struct cfi_entry *e, const struct cfi_cie *c, struct cfi_fde *out)
{
	struct cfi_bytes b = e->body;
	uint64_t size;

	out->begin = cfi_address(s, c, c->encoding, &b);
	size = cfi_address(s, c, c->encoding & 0x0f, &b);
	if (c->sized)
		cfi_skip(&b, cfi_uleb(&b));
	out->insns = b;
	out->end = out->begin + size;
	return !b.bad && out->end >= out->begin && size <= INT64_MAX;
}
