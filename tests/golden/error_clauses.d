/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fault ends its own clause only, in ERROR, too; what ERROR prints stands where the fault was. */
#pragma D option quiet
BEGIN { printf("first\n"); }
BEGIN { zero = *(int *)NULL; }
BEGIN { printf("between\n"); }
BEGIN { printf("lost\n"); trace(1 / zero); }
BEGIN /1 / zero/ { printf("lost, too\n"); }
BEGIN { printf("last\n"); exit(0); }
ERROR { this->n = arg4; printf("one: %d\n", this->n); faults++; }
ERROR { printf("gone\n"); faults += 100; other = *(int *)8; faults += 1000; }
ERROR { printf("two: %d\n", this->n); }
ERROR /zero == *(int *)16/ { printf("gone\n"); }
ERROR /arg2/ { printf("three: action %d\n", arg2); }
END { printf("%d faults, %d\n", faults % 100, faults / 100); }
