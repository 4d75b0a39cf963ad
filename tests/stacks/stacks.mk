# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs that tests/cmd/truestacks.t compiles, in many ways.
EXTRA_DIST += tests/stacks/astray.c tests/stacks/chain.h tests/stacks/narrow.s \
	tests/stacks/plugin.c tests/stacks/throw.cc tests/stacks/tiny.c tests/stacks/walk.c tests/lib/stacks.sh
