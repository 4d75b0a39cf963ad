/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whatever becomes a bool is 1 if it is not 0. */
#pragma D option quiet
struct flags { _Bool bit : 1; bool whole; bool many[2]; bool other : 1; int rest : 6; };
struct flags s;
struct flags made;
bool global, element[int];
self bool thread;
inline bool fixed = 256;
inline int argument[bool x] = x + 1;
translator struct flags < int x > { whole = x; bit = x; };
bool keyed[bool];

BEGIN
{
	printf("%d %d %d %d %d\n", (bool)256, (_Bool)2, (bool)-1, (bool)(char *)4096, (bool)0);
	i = 512;
	p = (char *)i;
	printf("%d %d %d %d %d\n", (bool)i, (bool)p, (bool)(i - 512), sizeof ((bool)i), (bool)i - 2 < 0);
	s.bit = i;
	s.whole = i;
	s.many[1] = 1024;
	s.other = 2;
	printf("%d %d %d %d %d %d\n", s.bit, s.whole, s.many[0], s.many[1], s.other, s.rest);
	global = i;
	this->local = (bool)i;
	this->local = 1024;
	element[1] = i;
	thread = 1;
	self->thread = i;
	printf("%d %d %d %d\n", global, this->local, element[1], self->thread);
	printf("%d %d %d\n", fixed, argument[i], argument[0]);
	printf("%d %d\n", xlate <struct flags> ((int)i).whole, xlate <struct flags> ((int)i).bit);
	printf("%d %d\n", (global ? 2 : 3), !(bool)i);
}

BEGIN
{
	global++;
	global++;
	printf("%d ", global);
	global--;
	printf("%d ", global);
	global--;
	printf("%d %d %d ", global, global++, ++global);
	printf("%d %d %d\n", global += 255, global -= 1, global |= 8);
	element[2]++;
	element[2] += 255;
	printf("%d %d %d\n", element[2], element[2]--, element[2]);
	s.bit++;
	s.bit--;
	printf("%d %d %d %d\n", s.bit, s.whole *= 7, s.whole -= 1, s.other = i << 4);
	keyed[2] = 3;
	printf("%d %d %d\n", keyed[1], keyed[7], keyed[0]);
	made.many[0] = i;
	*(uint8_t *)&made.whole = 7;
	printf("%d %d\n", made.many[0], made.whole);
	@[(bool)i] = count();
	@[(uint8_t)(i / 100)] = count();
	@[(bool)(i - 512)] = count();
	printa("%d %@d\n", @);
	exit(0);
}
