/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inlines with parameters, inlines that are not constant or stand for translations. */
#pragma D option quiet
inline int add[int a, int b] = a + b * 2;
inline string pick[int i] = i == 0 ? "zero" : i == 1 ? "one" : "many";
inline int twice[int a] = add[a, a] - a;
inline int where = pid * 100 + cpu;
inline int wrap[char c] = c;
struct in { int x; char name[4]; };
struct out { int pid; string name; int len; };
translator struct out < struct in *i > { pid = i->x + where; name = i->name; len = strlen(i->name); };
translator struct out < int v > { pid = v; name = pick[v]; };
inline struct out one[uintptr_t a] = xlate <struct out> ((struct in *)a);
inline struct out *first = xlate <struct out *> ((struct in *)0xffff888000000000);
inline struct out third = xlate <struct out> (3);

profile-97
{
	printf("%d %d %d %d\n", add[1, 2] + add[cpu, add[1, 1]], twice[pid], where, wrap[0x1ff]);
	printf("%s %s %s\n", pick[0], pick[cpu], pick[cpu + 7]);
	printf("%d %s %d\n", one[0xffff888000000000 + 8].pid, first->name, first->len);
	printf("%d %s\n", third.pid, third.name);
	printf("%d %d %s\n", twice[strlen("abc")], twice[index("hello", "l")], toupper(pick[strlen("")]));
}
