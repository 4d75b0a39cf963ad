/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signals FILE: sends signals to itself, one after the other, until the file exists. Prints how many it has sent, and
 * how many were lost.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = handle };
	int sent = 0;

	if (argc < 2 || sigaction(SIGUSR1, &action, NULL))
		return 1;
	for (; sent % 1000 || access(argv[1], F_OK); sent++)
		if (kill(getpid(), SIGUSR1))
			return 1;
	printf("sent %d lost %d\n", sent, sent - (int)handled);
	return 0;
}
