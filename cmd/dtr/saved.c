/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/saved.h"

#include <string.h>

int saved_option(struct command_line *l, const char *value)
{
	struct saved *s = l->self;

	*VEC_ADD(l->arena, &s->options) = args_setting(l->arena, value);
	return 0;
}

int saved_format(struct command_line *l, const char *value)
{
	struct saved *s = l->self;

	*VEC_ADD(l->arena, &s->options) = (struct arg_option){ "oformat", value };
	return 0;
}

int saved_run(struct command_line *l, size_t least, size_t most, saved_read *read)
{
	const struct dtr_config config = cmd_config(l->cmd);
	const struct saved *s = l->self;
	int status = 0;
	struct dtr *t;

	if (l->operands.n < least)
		return command_refuse(l, least > 1 ? "two files are needed" : "a file is needed");
	if (l->operands.n > most)
		return command_refuse(l, "unexpected argument '%s'", l->operands.v[most]);
	t = dtr_open(&config);
	for (size_t i = 0; i < s->options.n && !status; i++)
		if (dtr_option(t, s->options.v[i].name, s->options.v[i].value) < 0)
			status = 2;
	if (!status)
		status = read(t, l->self, (const char **)l->operands.v, (unsigned)l->operands.n) < 0 ? 1 :
			 dtr_status(t);
	dtr_close(t);
	return status;
}
