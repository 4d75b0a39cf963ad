# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests that run only on other kernels (./dev vm), not in make check.
EXTRA_DIST += tests/vm/run tests/vm/init tests/vm/suite tests/vm/oneliners.t tests/vm/rates.t tests/vm/hotplug.t \
	tests/vm/relations.t tests/vm/user.t tests/vm/clock.t tests/vm/lockdown.t tests/vm/modules.t
