/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A clause without a body prints its line; one whose predicate is false does not. */
BEGIN;
profile-97 /cpu == 1/;
tick-1s;
END;
