/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Starts the OCaml program that is in this library. */
void caml_startup(char **argv);
void chain_start(void);

void chain_start(void)
{
	char *argv[] = {"chain", 0};

	caml_startup(argv);
}
