/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Straight lines, switches, and jumps to labels whose addresses or distances are in tables, for the basic blocks of
 * -x lineblocks. */
volatile int v, a, b, c, d;
static int sw(int x) {
	int r = 0;
	switch (x) {
	case 0: a++; b++; r = 1; break;
	case 1: a++;
		c++;
	case 2: b++;
		d++;
		r = 2;
		break;
	case 3: r = a + b; c = r; break;
	case 4: return 7;
	case 5: b = c;
	case 6: d = c;
		a = d;
	case 7: b = a;
		break;
	case 8: r = 5;
	default: r++;
		a--;
		b--;
	}
	d += r;
	v = d;
	return r;
}
static int interp(const unsigned char *p) {
	static void *const t[] = { &&inc, &&dec, &&dbl, &&end };
	static const int t2[] = { &&inc - &&inc, &&dec - &&inc, &&dbl - &&inc, &&end - &&inc };
	int n = 0;
	goto *t[*p];
inc:	n++;
	a = n;
	p++;
	goto *t[*p];
dec:	n--;
	b = n;
	p++;
	goto *(&&inc + t2[*p]);
dbl:	n *= 2;
	c = n;
	p++;
	goto *t[*p];
end:	d = n;
	v = n;
	return n;
}
int main(void) {
	for (int i = 0; i < 50; i++) {
		v = i;
		a = i + 1;
		b = a + v;
		sw(i % 11);
	}
	for (int i = 0; i < 5; i++)
		interp((const unsigned char *)"\0\1\0\0\2\2\1\1\0\3");
	return 0;
}
