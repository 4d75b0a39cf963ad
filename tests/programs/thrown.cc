/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Straight lines in threads, destructors and handlers of exceptions, which inlined functions throw. */
#include <stdexcept>
#include <thread>
#include <vector>
static volatile int a, b, c;
struct Guard {
	int n;
	Guard(int k) : n(k) { a = a + 1; b = k; }
	~Guard() { b = b + n; c = a; }
};
static int risky(int n)
{
	Guard g(n);
	a = n;
	b = n + 1;
	if (n % 3 == 0)
		throw std::runtime_error("x");
	c = n;
	a = c + 1;
	if (n % 3 == 1)
		throw n;
	b = a;
	c = b;
	return n;
}
static int catcher(int n)
{
	int r = 0;
	try {
		r = risky(n);
		a = r;
		b = a;
	} catch (const std::exception &e) {
		a = 1;
		b = 2;
		r = a + b;
	} catch (int k) {
		c = k;
		r = c;
	}
	a = r;
	b = r;
	return r;
}
int main()
{
	std::vector<std::thread> t;
	for (int k = 0; k < 4; k++)
		t.emplace_back([] {
			volatile int x = 0;
			for (int i = 0; i < 200; i++) {
				x = x + 1;
				x = x * 2;
				x = x - 1;
			}
		});
	for (auto &x : t)
		x.join();
	for (int i = 0; i < 30; i++)
		catcher(i);
	return 0;
}
