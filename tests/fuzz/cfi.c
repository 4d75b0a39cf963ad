/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All rows of an untrusted section of unwinding tables. Bits of the first byte: .eh_frame, else .debug_frame; 32-bit
 * addresses. Rows are within their bounds, there are not more than bytes, and a callback that stops sees no more.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/unwind/cfi.h"
#include "tests/fuzz/fuzz.h"

enum { EH_FRAME = 1, BITS_32 = 2, ADDR = 0x5000 };

struct seen {
	const struct cfi_section *s;
	uint64_t n, stop;		/* stop: after that many rows; 0: never */
	uint64_t sum;			/* of the rows */
};

static void rule_check(const struct seen *seen, const struct unwind_rule *r)
{
	uint64_t at = (uint64_t)(int64_t)r->val;

	FUZZ_CHECK(r->how <= RULE_EXPR, "a rule of kind %u", r->how);
	if (r->how == RULE_EXPR || r->how == RULE_EXPR_AT)
		FUZZ_CHECK(at <= seen->s->size && r->nops <= seen->s->size - at, "an expression beyond the end");
	if (r->how == RULE_REG)
		FUZZ_CHECK(r->reg < FRAME_REGS, "register %u", r->reg);
}

static bool row_see(void *arg, const struct cfi_row *row)
{
	struct unwind_row sorted = row->rules;
	struct seen *seen = arg;

	FUZZ_CHECK(row->begin < row->end, "an empty row");
	row_sort(&sorted);
	FUZZ_CHECK(sorted.same == row->rules.same && sorted.other == row->rules.other, "a row that is not sorted");
	if (row->rules.known)
		FUZZ_CHECK(row->rules.cfa.how == RULE_REG || row->rules.cfa.how == RULE_EXPR, "known without a CFA");
	rule_check(seen, &row->rules.cfa);
	for (unsigned i = 0; i < FRAME_REGS; i++)
		rule_check(seen, &row->rules.reg[i]);
	seen->sum = seen->sum * 31 + row->begin + 7 * row->end + row->rules.other + (uint64_t)row->rules.cfa.val;
	return ++seen->n != seen->stop;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = size > 1 ? malloc(size - 1) : NULL;
	struct cfi_section s = { .data = copy, .size = size - 1, .addr = ADDR };
	struct seen all = { .s = &s }, part = { .s = &s }, rest = { .s = &s };
	struct cfi_counts n;
	enum cfi_end end;

	if (!copy || !machine_of(64) || !machine_of(32)) {
		free(copy);
		return 0;
	}
	memcpy(copy, data + 1, size - 1);
	s.eh_frame = *data & EH_FRAME;
	s.machine = machine_of(*data & BITS_32 ? 32 : 64);
	end = cfi_rows(&s, row_see, &all, &n);
	FUZZ_CHECK(end != CFI_STOPPED, "stopped by itself");
	FUZZ_CHECK(n.rows == all.n && n.rows <= s.size, "%llu rows", (unsigned long long)n.rows);
	FUZZ_CHECK(n.functions + n.invalid <= s.size / 4, "%llu functions", (unsigned long long)n.functions);
	part.stop = all.n / 2 + 1;
	end = cfi_rows(&s, row_see, &part, NULL);
	FUZZ_CHECK((end == CFI_STOPPED) == (all.n > 0), "not stopped after half of the rows");
	FUZZ_CHECK(part.n == (all.n ? part.stop : 0), "%llu rows, then stopped", (unsigned long long)part.n);
	rest.stop = all.n;
	cfi_rows(&s, row_see, &rest, NULL);
	FUZZ_CHECK(rest.sum == all.sum, "other rows the second time");
	free(copy);
	return 0;
}
