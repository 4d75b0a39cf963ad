# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
EXTRA_DIST += docs/aggregations.md docs/architecture.md docs/contributing.md docs/differences.md docs/exact.md \
	docs/gmon.md docs/ir.md docs/json.md docs/kgmon.md docs/kprof.md \
	docs/language.md docs/options.md docs/performance.md docs/pictures.md docs/profil.md \
	docs/profile-provider.md docs/prog.md \
	docs/provider.md docs/record.md docs/report.md docs/rootless.md docs/scripts.md docs/stacks.md \
	docs/style.md docs/testing.md docs/usdt.md
dist_man8_MANS += docs/dtr.8 docs/dtr-tools.8
