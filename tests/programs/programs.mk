# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs that tests/cmd/pid.t and followfork.t compile, in many ways.
EXTRA_DIST += tests/programs/calls.c tests/programs/count.h tests/programs/family.c tests/programs/throw.cc \
	tests/programs/vectors.c
# Of watch.t, line.t and prog.t.
EXTRA_DIST += tests/programs/dry.c tests/programs/lines.c tests/programs/plugged.c tests/programs/spend.c \
	tests/programs/watched.c \
	tests/programs/watched.cc
# Of gmon.t.
EXTRA_DIST += tests/programs/shares.c
# Of lockstat.t and plockstat.t.
EXTRA_DIST += tests/programs/plocks.c tests/programs/waits.c \
	tests/programs/plockcalls.c tests/programs/plockcalls.out
# Of lineblocks.t.
EXTRA_DIST += tests/programs/leaves.c tests/programs/switches.c tests/programs/thrown.cc
