/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Computes checksums with every kind of instruction that a compiler makes of these loops, and prints them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 128 };

static float fa[N], fb[N];
static double da[N];
static int ia[N], ib[N];
static short sa[N], sb[N];
static signed char ca[N], cb[N];
static long la[N], lb[N];
static char text[4096], copy[4096];

static unsigned long sum(const void *p, size_t n)
{
	const char *c = p;
	unsigned long s = 5381, word = 0;

	for (size_t i = 0; i < n; i += sizeof word) {
		memcpy(&word, c + i, n - i < sizeof word ? n - i : sizeof word);
		s = s * 33 + word;
	}
	return s;
}

static void begin(void)
{
	for (int i = 0; i < N; i++) {
		fa[i] = (float)i, fb[i] = (float)i / 2, da[i] = i;
		ia[i] = i * 7, ib[i] = 1000 - i;
		sa[i] = (short)i, sb[i] = (short)(300 - i);
		ca[i] = (signed char)i, cb[i] = (signed char)(3 * i);
		la[i] = i * 1000003l, lb[i] = i;
	}
}

static void numbers(void)
{
	for (int i = 0; i < N; i++) {
		fa[i] = fa[i] * 1.5f + fb[i] - (float)ia[i];
		fb[i] = fa[i] > 3 ? sqrtf(fa[i]) : -fb[i];
		da[i] = fabs(da[i]) / 3 + fa[i];
	}
	for (int i = 0; i < N; i++) {
		ia[i] = (((ia[i] & 0xfff) * ib[i]) ^ (ib[i] << 3)) | (ia[i] >> 2);
		ib[i] = ia[i] > ib[i] ? ia[i] & 0xffff : (ib[i] & 0xfff) + 7;
	}
	for (int i = 0; i < N; i++) {
		sa[i] = (short)(sa[i] * sb[i] + (sb[i] >> 1));
		sb[i] = sa[i] < sb[i] ? sa[i] : (short)(sb[i] - 9);
	}
	for (int i = 0; i < N; i++) {
		ca[i] = (signed char)(ca[i] + cb[i]);
		cb[i] = ca[i] == cb[i] ? 1 : ca[i] & ~cb[i];
	}
	for (int i = 0; i < N; i++) {
		la[i] = (long)((unsigned long)la[i] << 5) ^ lb[i];
		lb[i] = (lb[i] & 0xffffffff) + (la[i] & 0xffff) * 3;
	}
}

static unsigned long strings(void)
{
	unsigned long s = 0;

	for (int n = 0; n < 300; n += 43) {
		memset(text, n, sizeof text / 2);
		memcpy(copy, text + n, (size_t)n);
		memmove(copy + 5, copy, (size_t)n);
		strcpy(copy + 1000, "hello world, a string of some length to copy");
		s += strlen(copy + 1000) + (memcmp(text, copy, (size_t)n) > 0);
		s += (unsigned long)(strchr(copy + 1000, 'w') - copy) + (strcmp(copy + 1000, "hello world, b") > 0);
		s += sum(copy, 200);
		snprintf(text, sizeof text, "%d %s %f %g", n, "abc", n * 1.5, n / 3.0);
		s += sum(text, strlen(text));
	}
	return s;
}

int main(void)
{
	begin();
	for (int i = 0; i < 2; i++)
		numbers();
	printf("%lx %lx %lx ", sum(fa, sizeof fa) ^ sum(fb, sizeof fb), sum(da, sizeof da), sum(ia, sizeof ia));
	printf("%lx %lx %lx ", sum(sa, sizeof sa) ^ sum(sb, sizeof sb), sum(ca, sizeof ca), sum(la, sizeof la));
	printf("%lx\n", strings());
	return 0;
}
