/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A description may match several probes; each is its own enabling. */
dtrace:::BEGIN, dtrace:::E* { trace(epid); }
