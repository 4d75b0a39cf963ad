/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
{
	this->n = $2;
	words["a"] = $$1;
	self->s = words["a"] == "one" ? 1 : 0;
	printf("%d %d %s\n", self->s, this->n, words["a"]);
	exit(0);
}

END
{
	printf("end\n");
}
