# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One name per line, to avoid merge conflicts.

# For users: `dtr help TOPIC` shows them (cmd/dtr/help/help.c).
help_pages = \
	docs/aggregations.md \
	docs/cpc.md \
	docs/containers.md \
	docs/counters.md \
	docs/differences.md \
	docs/exact.md \
	docs/fleet.md \
	docs/gmon.md \
	docs/json.md \
	docs/kgmon.md \
	docs/kprof.md \
	docs/network.md \
	docs/language.md \
	docs/languages.md \
	docs/locks.md \
	docs/options.md \
	docs/pictures.md \
	docs/profil.md \
	docs/profile-provider.md \
	docs/prog.md \
	docs/record.md \
	docs/report.md \
	docs/rootless.md \
	docs/scripts.md \
	docs/serve.md \
	docs/stacks.md \
	docs/start.md \
	docs/stat.md \
	docs/tools.md \
	docs/top.md \
	docs/trace.md \
	docs/why.md \
	docs/usdt.md
helpdir = $(pkgdatadir)/help
dist_help_DATA = $(help_pages)
# For contributors.
dist_doc_DATA = $(help_pages) CHANGELOG.md \
	docs/architecture.md \
	docs/contributing.md \
	docs/ir.md \
	docs/kernel-programs.md \
	docs/nodejs.md \
	docs/performance.md \
	docs/porting.md \
	docs/provider.md \
	docs/style.md \
	docs/testing.md
examplesdir = $(docdir)/examples
dist_examples_DATA = \
	docs/examples/aggregations.c \
	docs/examples/latency.d \
	docs/examples/offcpu.d \
	docs/examples/opens.d \
	docs/examples/prof.d \
	docs/examples/reads.d
dist_man8_MANS += docs/dtr.8 docs/dtr-tools.8
EXTRA_DIST += \
	debian/changelog \
	debian/control \
	debian/copyright \
	debian/dtr-doc.install \
	debian/dtr.install \
	debian/libdtr-dev.install \
	debian/libdtr0.install \
	debian/libdtr0.symbols \
	debian/opened-libraries \
	debian/rules \
	debian/source/format \
	debian/tests/control \
	debian/tests/smoke \
	packaging/dtr.spec
dist_man3_MANS += docs/dtr.3
