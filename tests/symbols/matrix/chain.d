// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// chain.c in D.
module chain;
import core.volatile;

__gshared uint stopped, counted;

void count() { volatileStore(&counted, volatileLoad(&counted) + 1); }

void chainleaf()
{
	while (!volatileLoad(&stopped))
		volatileStore(&counted, volatileLoad(&counted) + 1);
}

void chaininner(int times)
{
	if (times > 1)
		chaininner(times - 1);
	else
		chainleaf();
	count();
}

void chainmiddle()
{
	chaininner(3);
	count();
}

void chainouter()
{
	chainmiddle();
	count();
}

extern (C) void chain_start()
{
	chainouter();
	count();
}

version (Library) {} else
void main() { chain_start(); }
