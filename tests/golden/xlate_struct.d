/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Translators of structures by value, and translations that are assigned as a whole. */
#pragma D option quiet

struct metric { int mm; char tag; };
struct imperial { int inches; long tenths; char name[8]; string kind; };

translator struct imperial <struct metric m> {
	inches = ((struct metric)m).mm / 25;
	tenths = m.mm * 10 / 25;
	kind = m.tag == 'l' ? "length" : "width";
};

translator struct metric <struct imperial *i> {
};

struct metric length;
struct imperial all, byself[int];

BEGIN
{
	length.mm = 100;
	length.tag = 'l';
	all.inches = -1;
	printf("%d %s\n", xlate <struct imperial> (length).inches, xlate <struct imperial> (length).kind);
	all = xlate <struct imperial> (length);
	printf("%d %d %s\n", all.inches, all.tenths, all.kind);
	new = xlate <struct imperial> (length);
	this->one = xlate <struct imperial> (length);
	printf("%d %d\n", new.tenths, this->one.tenths);
	length = xlate <struct metric> ((struct imperial *)NULL);
	printf("%d %d\n", length.mm, length.tag);
	byself[3] = xlate <struct imperial> (length);
	printf("%d %s\n", byself[3].inches, byself[3].kind);
	printf("%d %d %d\n", AF_INET, AF_INET6, ARPHRD_ETHER);
	exit(0);
}
