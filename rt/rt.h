/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The run-time library. It is compiled twice, by clang for BPF and by cc for the interpreter, so that both engines
 * behave the same. rt.def lists its functions.
 *
 * A string is in a place with a capacity of 8 to 32,760 bytes, a multiple of 8. It ends at a NUL or at its capacity. A
 * result string always ends with a NUL and is padded with zeros, whatever the operands are, even if they change
 * meanwhile.
 *
 * Ownership: the caller owns all memory. Errors: none.
 */
#ifndef RT_RT_H
#define RT_RT_H

#include <stdint.h>

/* Bytes of scratch memory for a function with a `work` parameter. */
enum { RT_WORK = 64 };

enum { RT_W = 1, RT_W2 = 2, RT_ZERO = 4, RT_Z = RT_ZERO | RT_W };

/* The capacity of place number i. */
static inline uint64_t rt_cap(uint64_t caps, unsigned i)
{
	return caps >> 16 * i & 0xffff;
}

/* ns; chill() does nothing for a longer wait. */
#define RT_CHILL_MAX 500000000ull

uint64_t rt_strlen(const char *s, uint64_t caps);
uint64_t rt_strjoin(char *dst, const char *a, const char *b, uint64_t caps);
uint64_t rt_substr(char *dst, const char *s, uint64_t caps, uint64_t index, uint64_t n);
uint64_t rt_index(void *work, const char *s, const char *sub, uint64_t caps, uint64_t pos);
uint64_t rt_rindex(void *work, const char *s, const char *sub, uint64_t caps, uint64_t pos);
uint64_t rt_strchr(char *dst, const char *s, uint64_t caps, uint64_t ch);
uint64_t rt_strrchr(char *dst, const char *s, uint64_t caps, uint64_t ch);
uint64_t rt_strstr(char *dst, void *work, const char *s, const char *sub, uint64_t caps);
uint64_t rt_toupper(char *dst, const char *s, uint64_t caps);
uint64_t rt_tolower(char *dst, const char *s, uint64_t caps);
uint64_t rt_args(char *dst, const char *s, uint64_t caps, uint64_t n);
uint64_t rt_basename(char *dst, const char *s, uint64_t caps);
uint64_t rt_dirname(char *dst, const char *s, uint64_t caps);
uint64_t rt_cleanpath(char *dst, void *work, const char *s, uint64_t caps);
uint64_t rt_charset(char *set, const char *s, uint64_t caps);
uint64_t rt_strtok(char *dst, char *state, const char *set, uint64_t caps);
uint64_t rt_lltostr(char *dst, void *work, uint64_t caps, uint64_t n, uint64_t base);
uint64_t rt_strtoll(void *work, const char *s, uint64_t caps, uint64_t base);
uint64_t rt_inet4(char *dst, void *work, const char *addr, uint64_t caps);
uint64_t rt_inet6(char *dst, void *work, const char *addr, uint64_t caps, uint64_t whole);
uint64_t rt_link(char *dst, void *work, const char *addr, uint64_t caps, uint64_t n);
/* The number of the goroutine that the current thread runs; 0: none. fsbase: see IR_GOID. Only in BPF. */
uint64_t rt_goid(uint64_t fsbase);
uint64_t rt_chill(uint64_t caps, uint64_t from, uint64_t ns);
uint64_t rt_json(char *dst, void *work, const char *s, const char *path, uint64_t caps);

#endif
