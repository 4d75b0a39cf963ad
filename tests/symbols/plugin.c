/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A plugin of remap.c: one function, LEAF, that counts and calls nothing, so that its code runs at any address. */
unsigned long LEAF(unsigned long n);

unsigned long LEAF(unsigned long n)
{
	for (unsigned long i = 0; i < 1000000; i++)
		__asm__ volatile("" : "+r"(n), "+r"(i));
	return n + 1;
}
