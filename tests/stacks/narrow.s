# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A 32-bit program without a C library and without frame pointers: _start calls outer, which calls middle, which saves
# registers and calls inner, which makes the system call getpriority(4242, 0), spins, and returns. It ends after the
# number of rounds in ROUNDS.
	.set ROUNDS, 200
	.globl _start, outer, middle, inner
	.type _start, @function
	.type outer, @function
	.type middle, @function
	.type inner, @function
	.text
_start:
	.cfi_startproc
	.cfi_undefined eip
	mov $ROUNDS, %edi
1:	call outer
	dec %edi
	jnz 1b
	mov $1, %eax
	xor %ebx, %ebx
	int $0x80
	hlt
	.cfi_endproc
	.size _start, . - _start

outer:
	.cfi_startproc
	sub $40, %esp
	.cfi_adjust_cfa_offset 40
	call middle
	add $40, %esp
	.cfi_adjust_cfa_offset -40
	ret
	.cfi_endproc
	.size outer, . - outer

# Its CFA depends on %esi, which inner saves and changes.
middle:
	.cfi_startproc
	push %esi
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset esi, 0
	mov %esp, %esi
	.cfi_def_cfa_register esi
	and $-64, %esp
	call inner
	mov %esi, %esp
	.cfi_def_cfa_register esp
	pop %esi
	.cfi_adjust_cfa_offset -4
	.cfi_restore esi
	ret
	.cfi_endproc
	.size middle, . - middle

inner:
	.cfi_startproc
	push %ebp
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset ebp, 0
	push %esi
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset esi, 0
	xor %ebp, %ebp
	xor %esi, %esi
	mov $96, %eax
	mov $4242, %ebx
	xor %ecx, %ecx
	int $0x80
	mov $1000000, %ecx
1:	dec %ecx
	jnz 1b
	pop %esi
	.cfi_adjust_cfa_offset -4
	.cfi_restore esi
	pop %ebp
	.cfi_adjust_cfa_offset -4
	.cfi_restore ebp
	ret
	.cfi_endproc
	.size inner, . - inner
	.section .note.GNU-stack, "", @progbits
