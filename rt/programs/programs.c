/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that run in the kernel by themselves, as one BPF object. Only clang -target bpf compiles this file. */
#include "rt/programs/cgroup.c"
#include "rt/programs/ksym.c"
#include "rt/programs/ledger.c"
#include "rt/programs/owners.c"
#include "rt/programs/pidns.c"
#include "rt/programs/process.c"
