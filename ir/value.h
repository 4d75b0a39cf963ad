/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of values in records and keys, shared by the writer (lang, through the IR) and the readers (aggregation,
 * engine). Plain data. Errors: none.
 */
#ifndef IR_VALUE_H
#define IR_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

enum val_kind {
	VAL_INT,	/* 1, 2, 4 or 8 bytes, host order */
	VAL_PTR,	/* 8 bytes, shown as 0x%x */
	VAL_STR,	/* NUL-terminated in `size` bytes, padded with zeros */
	VAL_BYTES,	/* raw memory */
	/* symbolic values: printing them needs struct val_names */
	VAL_STACK,	/* kernel PCs, 8 bytes each, innermost first; then zeros, or VAL_CUT and zeros */
	VAL_USTACK,	/* the owner, 8 bytes (below), then PCs of that process */
	VAL_SYM,	/* kernel address, 8 bytes: shown as its symbol */
	VAL_MOD,	/* likewise, shown as its module */
	VAL_USYM,	/* the owner and an address of that process, 16 bytes: the symbol */
	VAL_UMOD,	/* likewise: the executable or library */
	VAL_UADDR,	/* likewise: the symbol and the offset from it */
	/* number of a control group, 8 bytes, shown as what struct val_names knows of it; 0: unknown */
	VAL_CGROUP,	/* its path */
	VAL_CONTAINER,	/* name or ID of the container that it belongs to */
	VAL_POD,	/* of that container's pod */
	VAL_IMAGE,	/* the container's image */
};

enum { VAL_STACK_INDENT = 14 };	/* DTrace's */

/* Replaces the next frame in a truncated stack. */
#define VAL_CUT UINT64_MAX
#define VAL_CUT_NAME "[truncated]"

static inline bool val_is_symbolic(unsigned kind) { return kind >= VAL_STACK; }
static inline bool val_is_user(unsigned kind) { return kind == VAL_USTACK || (kind >= VAL_USYM && kind <= VAL_UADDR); }
static inline bool val_is_code(unsigned kind) { return kind >= VAL_STACK && kind <= VAL_UADDR; }
static inline bool val_is_cgroup(unsigned kind) { return kind >= VAL_CGROUP; }

/*
 * The owner of an address: a process, and the time since which its addresses have had their current meaning. In a
 * record the time is not needed, because the record has one. In a key it is the time of the last change before the key
 * was made: code was mapped, or the process executed a program or was created. An owner is a word:
 *
 *	bits 0..21	process ID
 *	bit 22		VAL_OWNER_NEXT: the next process with this ID after then. Without a time: the newest state
 *	bits 23..62	time since the session began, in units of 2048 ns; saturates after 26 days
 *
 * A larger word means a later time. Time 0: no change since the session began.
 */
enum { VAL_PID_BITS = 22, VAL_TIME_SHIFT = VAL_PID_BITS + 1, VAL_TIME_UNIT = 11, VAL_TIME_BITS = 40 };
#define VAL_PID_MASK ((1ull << VAL_PID_BITS) - 1)
#define VAL_OWNER_NEXT (1ull << VAL_PID_BITS)
#define VAL_TIME_MAX ((1ull << VAL_TIME_BITS) - 1)

static inline int64_t val_owner_pid(uint64_t owner) { return (int64_t)(owner & VAL_PID_MASK); }
/* ns: time since the session began. */
static inline uint64_t val_owner(int64_t pid, uint64_t ns)
{
	uint64_t t = ns >> VAL_TIME_UNIT;

	return (t < VAL_TIME_MAX ? t : VAL_TIME_MAX) << VAL_TIME_SHIFT | ((uint64_t)pid & VAL_PID_MASK);
}
/* The end of the time unit in ns, so never before the change. 0: no time. */
static inline uint64_t val_owner_time(uint64_t owner)
{
	uint64_t t = owner >> VAL_TIME_SHIFT;

	return t ? ((t + 1) << VAL_TIME_UNIT) - 1 : 0;
}

/* The origin of a value; decides what text output escapes. */
enum val_origin {
	VAL_DATA,	/* traced data: may contain tabs and newlines */
	VAL_LITERAL,	/* from the script: shown without escapes */
	VAL_NAME,	/* a name, for example of a process: part of a line */
};

struct val_field {
	uint32_t off;	/* offset in the record or key */
	uint32_t size;
	uint8_t kind;	/* enum val_kind */
	bool is_signed;	/* VAL_BYTES: a float, double or long double, by its size */
	uint8_t origin;	/* enum val_origin */
	bool marked;	/* a string that fills it was cut, and is shown with VAL_CUT_MARK (-x cutmark) */
};

#define VAL_CUT_MARK "..."

static inline bool val_is_float(const struct val_field *f) { return f->kind == VAL_BYTES && f->is_signed; }
/* The floating-point number at `base + f->off`. */
long double val_float(const struct val_field *f, const void *base);

/* Whether a string of n bytes was cut. */
static inline bool val_lacks_rest(const struct val_field *f, size_t n) { return f->marked && n + 1 >= f->size; }

/* The i-th 64-bit word at p, which need not be aligned. */
static inline uint64_t val_word(const void *p, uint32_t i)
{
	uint64_t w;

	memcpy(&w, (const char *)p + sizeof w * i, sizeof w);
	return w;
}

/* The i-th word of a field at `base + f->off`; 0 beyond its end. */
static inline uint64_t val_field_word(const struct val_field *f, const void *base, uint32_t i)
{
	return i < f->size / sizeof(uint64_t) ? val_word((const char *)base + f->off, i) : 0;
}

/* The integer at `base + f->off`, sign- or zero-extended. Only for VAL_INT and VAL_PTR. */
int64_t val_int(const struct val_field *f, const void *base);

/* A function at an address of a stack. Several if some are inlined. */
struct val_frame {
	const char *text;	/* "object`symbol+0x1a"; without the offset for an inlined function */
	bool inlined;
	const char *file;	/* path of the source; NULL: unknown, or not wanted */
	uint32_t line;		/* 0: unknown */
};
enum { VAL_FRAMES_MAX = 64 };	/* functions at an address */
typedef void val_frame_fn(void *arg, const struct val_frame *f);

/*
 * A source of names for symbolic values. If a function or the whole struct is NULL, addresses are shown as numbers.
 */
struct val_names {
	void *arg;
	/* Appends a symbolic value. A stack: a newline, then one line per frame. Others: the name, as one word. */
	void (*show)(void *arg, struct buf *out, const struct val_field *f, const void *base);
	/* Appends an address as "object`symbol+0x1a". owner < 0: the kernel. */
	void (*addr)(void *arg, struct buf *out, int64_t owner, uint64_t addr);
	/* Calls fn(to, ...) for the functions at an address of a stack, innermost first, at most VAL_FRAMES_MAX times.
	 * call: it is the address after a call, as in any frame but the innermost. Optional: `addr` shows the function
	 * that is not inlined. */
	void (*frames)(void *arg, int64_t owner, uint64_t addr, bool call, val_frame_fn *fn, void *to);
	/* Makes values equal that are shown alike, so that they are one key: addresses of one symbol (VAL_SYM,
	 * VAL_USYM) or one module; owners whose times have no change of names between them; control groups of one
	 * container. */
	void (*settle)(void *arg, const struct val_field *f, void *base);
	/* Optional. The address or stack that is shown next stands for n samples (default: 1). */
	void (*weigh)(void *arg, uint64_t n);
	/* Optional: the order of two words of addresses or stacks. NULL: that of the numbers. */
	int (*compare)(void *arg, uint64_t a, uint64_t b);
	bool texts;		/* addresses are numbers of texts (aggregation/set.h); there are no process IDs */
	uint64_t cut;		/* with `texts`: the number that replaces VAL_CUT; 0: none */
	int64_t target;		/* the default owner of a user address; -1 = none */
};
/* Appends `n` bytes of the frame's text, and " (inlined)" and the source line as " [file.c:12]" if they apply. */
void val_put_frame(struct buf *out, const struct val_frame *f, size_t n);
/* Calls fn like `frames`, once if the names have no such function. Returns false if memory ran out. */
bool val_frames(const struct val_names *names, int64_t owner, uint64_t addr, bool call, val_frame_fn *fn, void *to);
/* True if this word of a stack is the mark of truncation. */
static inline bool val_is_cut(const struct val_names *names, uint64_t w)
{
	return w && w == (names && names->texts ? names->cut : VAL_CUT);
}
/* Appends a symbolic value using `names`, or as numbers if that is NULL. */
void val_show(struct buf *out, const struct val_names *names, const struct val_field *f, const void *base);

#endif
