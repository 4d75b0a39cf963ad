/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The probes of the programs in this folder. */
struct usdt_thing {
	int a;
	long b;
};

provider prov {
	probe start(int n, char *name);
	probe all__kinds(char, unsigned char, short, uint16_t, int, unsigned int, int64_t, uint64_t);
	probe more(struct usdt_thing *t, string s, size_t n, long l, int8_t b, double d);
	probe nine(int, int, int, int, int, int, int, int, int, int);
	probe none();
	probe nothing(void);
	probe loop(int i);
	probe mapped(int first, char *second, long third) : (string second, int first);
};

#pragma D attributes Evolving/Evolving/Common provider prov provider
#pragma D attributes Private/Private/Unknown provider prov module
#pragma D attributes Private/Private/Unknown provider prov function
#pragma D attributes Evolving/Evolving/Common provider prov name
#pragma D attributes Evolving/Evolving/Common provider prov args
