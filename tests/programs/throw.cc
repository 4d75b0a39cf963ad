/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
// Functions that exceptions leave; names with parameters. Counts as count.h. The third argument of PLAIN is the name in
// the symbol table.
#include <cstdlib>

#include "count.h"

COUNTS(thrower);
extern "C" KNOWN int thrower(int x)
{
	ENTER(thrower);
	if (x % 3 == 0)
		throw x;
	LEAVE(thrower);
	return x;
}

COUNTS(between);
extern "C" KNOWN int between(int x)
{
	ENTER(between);
	int r = thrower(x) + 1;
	LEAVE(between);
	return r;
}

COUNTS(catcher);
extern "C" KNOWN int catcher(int x)
{
	ENTER(catcher);
	int r = 0;
	try {
		r = between(x);
	} catch (int y) {
		r = y;
	}
	LEAVE(catcher);
	return r;
}

namespace shapes {
COUNTS(area);
struct square {
	KNOWN int area(int side) volatile
	{
		ENTER(area);
		LEAVE(area);
		return side * side;
	}
};
}

int main(int argc, char **)
{
	shapes::square s;

	for (int i = 0; i < 30; i++) {
		catcher(i);
		s.area(i + argc);
	}
	PRINT(thrower), PRINT(between), PRINT(catcher);
	count_print("_ZNV6shapes6square4areaEi", shapes::entries_area, shapes::returns_area);
	return 0;
}
