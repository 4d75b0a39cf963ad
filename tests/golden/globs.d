/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A description may match several probes; each is its own enabling. */
dtrace:::BEGIN, dtrace:::E* { trace(epid); }
/* A clause runs once for each description that matches; the one after it follows them all. */
BEGIN, dtrace:::BEGIN, dtrace:::* { trace(++n); }
BEGIN { trace(n); }
