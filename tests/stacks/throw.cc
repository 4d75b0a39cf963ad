// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// C++ exceptions: throw [MS]: stops in a handler, in a destructor that runs while the stack is unwound, in a function
// called by a handler that then throws again, and after all of it. See chain.h.
#include <cstdlib>

#include "chain.h"

#define PLAIN extern "C" KEEP

PLAIN unsigned long thrower(unsigned long v)
{
	chain_enter("thrower");
	if (v < 1000000) {
		chain_leave();
		throw v;
	}
	return chain_end(v);
}

struct guard {
	unsigned long v;
	explicit guard(unsigned long x) : v(x) { }
	KEEP ~guard() { chain_enter("guard::~guard()"); chain_end(stop(v)); }
};

PLAIN unsigned long guarded(unsigned long v)
{
	int depth = chain_n;
	chain_enter("guarded");
	{
		guard g(v);
		v = thrower(v);
	}
	chain_n = depth;
	return v + 1;
}

PLAIN unsigned long catcher(unsigned long v)
{
	chain_enter("catcher");
	int depth = chain_n;
	try {
		v = thrower(v);
	} catch (unsigned long) {
		chain_n = depth;
		v = stop(v);
	}
	return chain_end(v);
}

PLAIN unsigned long unwinder(unsigned long v)
{
	chain_enter("unwinder");
	int depth = chain_n;
	try {
		v = guarded(v);
	} catch (unsigned long) {
		chain_n = depth;
		v = stop(v);
	}
	return chain_end(v);
}

PLAIN unsigned long again(unsigned long v)
{
	chain_enter("again");
	int depth = chain_n;
	try {
		try {
			v = thrower(v);
		} catch (unsigned long) {
			chain_n = depth;
			v = catcher(v);
			throw;
		}
	} catch (unsigned long) {
		chain_n = depth;
		v = stop(v);
	}
	return chain_end(v);
}

int main(int argc, char **argv)
{
	chain_ms = argc > 1 ? std::atoi(argv[1]) : 0;
	chain_enter("main");
	catcher(1);
	unwinder(2);
	again(3);
	stop(4);
	return 0;
}
