/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names for BPF instructions (encoding: the kernel's instruction-set.rst). Plain data. Errors: none.
 */
#ifndef ENGINE_BPF_CODE_INSN_H
#define ENGINE_BPF_CODE_INSN_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

static inline struct bpf_insn insn(uint8_t code, int dst, int src, int16_t off, int32_t imm)
{
	return (struct bpf_insn){ .code = code, .dst_reg = (uint8_t)dst & 15, .src_reg = (uint8_t)src & 15,
				  .off = off, .imm = imm };
}

/* Converts BPF_B, BPF_H, BPF_W, BPF_DW to a number of bytes, and back. */
static inline unsigned size_bytes(uint8_t size)
{
	return size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
}

static inline uint8_t bytes_size(unsigned n)
{
	return n >= 8 ? BPF_DW : n >= 4 ? BPF_W : n >= 2 ? BPF_H : BPF_B;
}

static inline bool insn_is_imm64(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_IMM | BPF_DW);
}

#endif
