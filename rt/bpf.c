/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The whole library as one BPF object. Only clang -target bpf compiles this file. */
#include "rt/args.c"
#include "rt/case.c"
#include "rt/chill.c"
#include "rt/climb.c"
#include "rt/find.c"
#include "rt/gather.c"
#include "rt/inet.c"
#include "rt/json.c"
#include "rt/number.c"
#include "rt/path.c"
#include "rt/python.c"
#include "rt/scan.c"
#include "rt/string.c"
#include "rt/token.c"
#include "rt/v8.c"
#include "rt/unwind.c"
#include "rt/goid.c"
#include "rt/jstack.c" /* uses unwind.c */
#include "rt/v8stack.c" /* uses jstack.c */
