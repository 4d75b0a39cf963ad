/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Without quiet a record ends its own line: a format that ends in a newline leaves an empty one. */
tick-1s { printf("%d\n", i++); }
tick-1s { printf("no newline %d", i); }
tick-1s /i > 1/ { exit(7); }
