/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Integer keys are compared by their values: constants and variables of any width and sign. */
#pragma D option quiet

int8_t s8[int64_t];

BEGIN
{
	this->u32 = (uint32_t)0xffffffff;
	this->u8 = (uint8_t)255;
	this->s8 = (int8_t)-1;
	this->s64 = (int64_t)0xffffffff;
	this->s32 = (int32_t)-1;
	this->u16 = (uint16_t)0xffff;
	this->u64 = (uint64_t)0x7fffffffffffffff;

	/* a negative constant and a variable without a sign, in either order */
	a[-1] = 7;
	printf("%d %d\n", a[-1], a[this->u32]);
	b[this->u32] = 7;
	printf("%d %d\n", b[this->u32], b[-1]);
	c[this->u8] = 1;
	c[-1] = 2;
	c[this->s8] = 3;
	printf("%d %d %d %d\n", c[255], c[this->u8], c[-1], c[0xffffffff]);
	d[5] = 1;
	d[-5] = 2;
	d[this->u64] = 3;
	printf("%d %d %d\n", d[5], d[-5], d[0x7fffffffffffffff]);
	e[300] = 1;
	e[this->u8] = 2;
	e[44] = 3;
	printf("%d %d %d\n", e[300], e[255], e[44]);
	f["x", -1] = 1;
	f["x", this->u16] = 2;
	printf("%d %d %d\n", f["x", -1], f["x", 65535], f["x", 0xffffffff]);
	s8[-1] = 9;
	printf("%d %d\n", s8[-1], s8[this->u32]);

	@first[-1] = count();
	@first[this->u32] = count();
	@second[this->u32] = count();
	@second[-1] = count();
	@chars[(char)-1] = count();
	@chars[(uint8_t)255] = count();
	@chars[(int64_t)255] = count();
	@shorts[(int16_t)-1] = count();
	@shorts[this->u16] = count();
	@shorts[this->s32] = count();
	@ints[0xffffffff] = count();
	@ints[-1] = count();
	@ints[this->s64] = count();
	@ints[this->s8] = count();
	@small[-129] = count();
	@small[this->s8] = count();
	@small[127] = count();
	@two[-1, this->u32] = count();
	@two[this->u32, -1] = count();
	printa("first %d %@d\n", @first);
	printa("second %d %@d\n", @second);
	printa("chars %d %@d\n", @chars);
	printa("shorts %d %@d\n", @shorts);
	printa("ints %d %@d\n", @ints);
	printa("small %d %@d\n", @small);
	printa("two %d %d %@d\n", @two);

	/* rows of several aggregations: by value, too */
	@wide[(uint64_t)-1 + this->u64 - this->u64] = count();
	@wide[this->u32] = count();
	@signed[this->s32] = count();
	@signed[this->s64] = count();
	printa("both %d %@d %@d\n", @signed, @wide);
	exit(0);
}
