/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A predicate uses variables that its own clause assigns, or assigns those that its actions use. */
#pragma D option quiet
inline int turn = m++;
profile-97 /!seen/ { seen = 1; printf("first: %d\n", pid); }
profile-97 /self->last == 0/ { self->last = arg1; printf("thread %d: %d\n", pid, self->last); }
profile-97 /!this->x/ { this->x = pid; }
profile-97 /a[execname, 1] < 2/ { a[execname, 1]++; printf("%s %d\n", execname, a[execname, 1]); }
profile-97 /p == NULL/ { p = curthread; }
profile-97 /name != execname/ { name = execname; printf("now %s\n", name); }
profile-97 /s.n == 0/ { s.n = pid; }
profile-97 /n++ == 2/ { printf("n %d\n", n); }
profile-97 /turn == 1/ { printf("m %d\n", m); }
profile-97 /(b[pid] = pid) == 2/ { printf("b %d\n", b[2]); }
profile-97 /x++ < 1/ { x = 5; printf("x %d\n", x); }
struct s { int n; } s;
END { printf("%d %d %d\n", this->x, p == curthread, s.n); }
