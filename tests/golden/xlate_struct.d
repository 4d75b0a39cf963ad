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

/* arrays of char take what fits */
struct label { char text[6]; char tag; char none[4]; string rest; };
struct label label, labels[2];

translator struct label <struct metric m> {
	text = m.mm < 100 ? "short" : "longer than that";
	tag = 't';
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
	label.none[0] = 'x';
	label.rest = "x";
	label = xlate <struct label> (length);
	printf("%s %c [%s] [%s]\n", label.text, label.tag, label.none, label.rest);
	length.mm = 100;
	labels[1] = xlate <struct label> (length);
	this->label = (struct label *)alloca(sizeof (struct label));
	*this->label = xlate <struct label> (length);
	printf("%s %c %s %d\n", labels[1].text, labels[1].tag, this->label->text, this->label->none[0]);
	printf("%d %d %d\n", AF_INET, AF_INET6, ARPHRD_ETHER);
	exit(0);
}
