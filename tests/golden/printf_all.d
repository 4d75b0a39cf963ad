/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every conversion, flag and size; widths beyond what C libraries like. */
#pragma D option quiet

BEGIN
{
	printf("[%p][%#p][%?p][%-20p][%p]\n", 0x1234, 0x1234, 0x1234, (void *)0xabc, -1);
	printf("[%c][%3c][%-3c][%C][%4C][%C][%C][%C]\n", 65, 66, 67, 10, 9, 0, 200, '"');
	printf("[%s][%S][%-12S][%8.3S][%S]\n", "a\tb", "a\tb\"c\\\001\377", "x\n", "abcdef", "");
	printf("[%wc][%lc][%wc][%wc][%wc][%3wc]\n", 65, 233, 0x20ac, 0x1f600, 0xd800, 66);
	printf("[%hd][%hhd][%hx][%hho][%hu][%ld][%lld][%lx]\n", 70000, 300, 70000, 511, -1, -2, -3, -4);
	printf("[%T][%Y]\n", 1ull << 60, 1ull << 60);
	printf("[%P]\n", (uint16_t)54321);
	printf("[%5d][%-5d][%05d][%+d][% d][%.3d][%8.3d][%-8.3d][%08.3d]\n", 42, 42, 42, 42, 42, 42, 42, 42, 42);
	printf("[%0-8d][%-08d][%+06d][%06d][%#x][%#o][%#010x][%.0d]\n", 42, 42, 42, -42, 42, 42, 42, 0);
	printf("[%*d][%*d][%.*d][%*.*d][%.*s]\n", 7, 1, -7, 2, 4, 3, 6, 4, 5, 2, "abc");
	printf("[%i][%u][%o][%X][%d][%u][%x]\n", -5, 4294967295, 8, 0xbeef, (uint8_t)200, (int8_t)-1, (int16_t)-1);
}

BEGIN
{
	printf("%300d|%.270d|%-300d|\n", 7, 8, 9);
	exit(0);
}
