/* A predicate may use an array that only a later clause assigns. */
#pragma D option quiet

BEGIN
/!seen["x"]/
{
	printf("not yet\n");
	last["x"] = timestamp;
}

BEGIN
/names[1] == NULL && !self->depth[2]/
{
	printf("no name\n");
}

BEGIN
{
	seen["x"]++;
	names[1] = "one";
	self->depth[2] = 1;
}

BEGIN
/seen["x"] == 1 && names[1] == "one" && last["x"]/
{
	printf("%d %s\n", sizeof(seen["x"]), names[1]);
	exit(0);
}
