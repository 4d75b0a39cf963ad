/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Integer conversions, flags, widths and precisions are C's. */
#pragma D option quiet
BEGIN
{
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
	printf("[%d] [%i] [%5d] [%-5d] [%05d]\n", -42, -42, -42, -42, -42);
	printf("[%u] [%u] [%u]\n", 4294967295U, -1, 18446744073709551615ULL);
	printf("[%x] [%X] [%#x] [%08x] [%x]\n", 48879, 48879, 48879, 48879, -1);
	printf("[%o] [%#o]\n", 511, 511);
	printf("[%.3d] [%8.3d] [%-8.3d]\n", 7, 7, 7);
	printf("[%*d] [%-*d] [%.*d]\n", 6, 7, 6, 7, 4, 7);
	printf("[%d] [%d]\n", (char)300, (short)70000);
	printf("[%c%c%c] [%3c] [%-3c]\n", 'a', 98, 0x63, 'x', 'y');
	printf("[%lld] [%hhd] [%ld] [%hd]\n", 1LL << 40, (char)-1, -2L, (short)-3);
	printf("100%%\n");
}
