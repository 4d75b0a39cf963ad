/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A chain of functions: chainouter, chainmiddle, chaininner three times, and chainleaf, which computes until the
 * process is ended. Each file chain.* is the same in another language. The compilers' flags forbid inlining and tail
 * calls.
 */
static volatile unsigned long chain_stop, chain_count;

void chainleaf(void);
void chaininner(int times);
void chainmiddle(void);
void chainouter(void);
void chain_start(void);

void chainleaf(void)
{
	while (!chain_stop)
		chain_count++;
}

void chaininner(int times)
{
	if (times > 1)
		chaininner(times - 1);
	else
		chainleaf();
	chain_count++;
}

void chainmiddle(void)
{
	chaininner(3);
	chain_count++;
}

void chainouter(void)
{
	chainmiddle();
	chain_count++;
}

void chain_start(void)
{
	chainouter();
	chain_count++;
}

#ifndef CHAIN_LIBRARY
int main(void)
{
	chain_start();
	return chain_count == 0;
}
#endif
