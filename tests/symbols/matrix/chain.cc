/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* chain.c in C++: name spaces, a virtual function, a template. */
static volatile unsigned long stop, counted;

namespace matrix {
struct chain {
	virtual ~chain() {}
	virtual void chainleaf()
	{
		while (!stop)
			counted = counted + 1;
	}
	template <typename Number> void chaininner(Number times)
	{
		if (times > 1)
			chaininner(times - 1);
		else
			chainleaf();
		counted = counted + 1;
	}
	void chainmiddle()
	{
		chaininner(3L);
		counted = counted + 1;
	}
};
} // namespace matrix

static matrix::chain *volatile chain = new matrix::chain;

static void chainouter(matrix::chain &c)
{
	c.chainmiddle();
	counted = counted + 1;
}

extern "C" void chain_start()
{
	chainouter(*chain);
	counted = counted + 1;
}

#ifndef CHAIN_LIBRARY
int main()
{
	chain_start();
	return counted == 0;
}
#endif
