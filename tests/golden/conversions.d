/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What converts without a cast: integers, null pointers, void *, characters in memory to strings. */
#pragma D option quiet
struct in { int n; };
struct out { int a, b; string s; struct in *p; };
translator struct out < int i > { a = i; a = i + 100; b = NULL; s = NULL; p = NULL; };
inline struct task_struct *nobody = NULL;
inline struct task_struct *t = (struct task_struct *)0x1000;
inline string nothing = 0;
inline short half[long v] = v / 2;
string str;
int byname[string];
BEGIN
{
	printf("%u %d %d\n", NULL, sizeof (NULL), NULL == 0);
	p = t;
	this->v = (void *)p;
	printf("%d %d %d\n", p == this->v, p != NULL, nobody == 0);
	p = NULL;
	p = this->v;
	p = (int)(1 - 1);
	printf("%d [%s] %d\n", p == nobody, nothing, half[0x10007]);
	this->c = (char *)alloca(8);
	this->c[0] = 'x';
	this->c[1] = 'y';
	this->v = this->c;
	str = this->v;
	printf("%s %d %s %d\n", str, strlen(this->v), strjoin(this->v, "z"), this->v == "xy");
	byname[this->c] = 3;
	byname["ab"] = 4;
	@[str] = count();
	@[this->c] = count();
	printf("%d %d\n", byname["xy"], byname[this->v]);
	printf("[%s] [%s]\n", p != NULL ? "some" : NULL, p == NULL ? this->v : "none");
	printf("%d %d\n", (p == NULL ? t : NULL) == t, (p ? NULL : this->v) == this->c);
	printf("%d %d [%s] %d\n", xlate <struct out> (1).a, xlate <struct out> (1).b, xlate <struct out> (1).s,
	    xlate <struct out> (1).p == NULL);
	a[t] = 5;
	printf("%d\n", a[NULL] + a[(void *)t]);
	exit(0);
}
