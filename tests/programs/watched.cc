/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables in scopes of C++, each written once or as often as it says. */
namespace ns {
	volatile int var;
	namespace inner { volatile long var; }
	struct shared {
		static volatile short total;
		int own;
	};
	volatile short shared::total;
	static int add(int n)
	{
		static volatile int sum;

		sum = sum + n;		// a read and a write
		return sum;		// a read
	}
}
struct base { volatile int b; };
struct derived : base { volatile int d; };
static derived object;

int main()
{
	ns::var = 3;
	ns::inner::var = -4;
	ns::shared::total = 5;
	object.b = 6;
	object.d = 7;
	return ns::add(1) + ns::add(2) == 4 ? 0 : 1;
}
