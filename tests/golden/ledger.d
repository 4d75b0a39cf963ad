/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interpreter fires what it is given: it has nothing to account for. */
profile-97 { @ = count(); }
