/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrays of char as variables: elements, and strings where strings are wanted. */
#pragma D option quiet

char word[9];
self char mine[4];
this char here[4];
char by[int][4];
unsigned char bytes[4];
string many[100];

BEGIN
{
	word[0] = 'a';
	word[1] = 'A';
	i = 2;
	word[i] = word[0] + 1;
	trace(word);
	printf(" %s %d %d %s\n", stringof(word), word[1], strlen(word), strjoin(word, "!"));
	copy = word;
	word[1] = 0;
	printf("%s %d %s\n", copy, copy == "aAb", word);
	self->mine[0] = 'm';
	this->here[1] = 'h';
	by[5][0] = 'b';
	printf("%s %d %s\n", self->mine, this->here[1], by[5]);
	@[by[5]] = sum(2);
	seen[word] = 3;
	printa("%s %@d\n", @);
	printf("%d\n", seen["a"]);
	bytes[0] = 'x';
	bytes[3] = 255;
	printf("%d %d\n", bytes[0], bytes[3]);
	/* a string from within, which ends with the array */
	i = 1;
	self->mine[1] = self->mine[2] = self->mine[3] = 'z';
	this->here[2] = 'i';
	by[5][i] = 'c';
	printf("%s %s %s %s %s [%s]\n", stringof(&word[2]), stringof(&word[i + 1]), stringof(&self->mine[i]),
	    stringof(&this->here[i]), stringof(&by[5][i]), stringof(&by[6][i]));
	big = &many[99];
	many[99] = "z";
}

BEGIN { trace(stringof(&word[i + 8])); }
BEGIN { trace(*big); }

BEGIN
{
	exit(0);
}
