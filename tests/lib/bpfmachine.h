/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF machine for unit tests: it runs generated code on CPU 0, without the kernel.
 * Ownership: everything is the caller's. Errors: what the machine does not know fails the test (cmocka).
 */
#ifndef TESTS_LIB_BPFMACHINE_H
#define TESTS_LIB_BPFMACHINE_H

#include <stdint.h>

#include "engine/bpf/code/bpf.h"

struct bpf_machine {
	const struct bpf_code *code;
	uint8_t *data;			/* the data map */
	/* Runs a helper, returns R0. NULL: code that calls only get_smp_processor_id. */
	uint64_t (*call)(struct bpf_machine *m, int32_t helper);
	void (*step)(struct bpf_machine *m);	/* called before each instruction, or NULL */
	void *arg;			/* for call and step */
	uint64_t r[11];
	uint8_t stack[512];
};

void bpf_machine_run(struct bpf_machine *m);

#endif
