# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs with probes that tests/cmd/usdt.t compiles.
EXTRA_DIST += tests/usdt/kinds.c tests/usdt/loop.c tests/usdt/operands.c tests/usdt/plugin.c tests/usdt/prov.d \
	tests/usdt/sdt.c
