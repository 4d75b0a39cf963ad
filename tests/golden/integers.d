/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* C's integer rules: promotion, conversion, signs, shifts, precedence. */
#pragma D option quiet
BEGIN
{
	printf("%d %d %d %d\n", 7 / 2, -7 / 2, 7 % 3, -7 % 3);
	printf("%d %d\n", 1 + 2 * 3 - 4 / 2, (1 + 2) * 3);
	printf("%d %d %d\n", -1 < 1, -1 < 1U, -1L < 1U);
	printf("%d %u\n", (char)255, (unsigned char)-1);
	printf("%d %d %d\n", -8 >> 1, 1 << 4, 0xff & ~0xf);
	printf("%d %d %d %d\n", 3 && 0, 3 || 0, !3, 1 ^^ 1);
	printf("%d %d %d\n", 6 & 3, 6 | 3, 6 ^ 3);
	printf("%d %d\n", 1 ? 2 : 3, 0 ? 2 : 3);
	printf("%d %d %d %d\n", sizeof (char), sizeof (int), sizeof (long), sizeof (long long));
	printf("%u\n", 4294967295 + 1);
	x = 5;
	printf("%d %d %d %d %d\n", x++, ++x, x--, --x, x);
	x += 3; x -= 1; x *= 4; x /= 2; x %= 10; x <<= 3; x >>= 1; x |= 1; x &= 7; x ^= 2;
	printf("%d\n", x);
	printf("%d %d %d %d\n", 'a', '\n', '\0', '\x41');
	printf("%d %d %d\n", 0x10, 010, 10);
}
