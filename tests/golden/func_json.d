/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json: members, elements, what is not there and what is no JSON. */
#pragma D option quiet
BEGIN
{
	text = "{ \"name\": \"dtr\", \"sizes\": [1, 22, {\"deep\": [true, null]}], \"quote\": \"a\\\"b\", \"pi\": -3.14e+0 }";
	path = "sizes[1]";
	printf("[%s] [%s] [%s] [%s]\n", json(text, "name"), json(text, "sizes[0]"), json(text, path), json(text, "sizes[2].deep[0]"));
	printf("[%s] [%s] [%s]\n", json(text, "sizes"), json(text, "quote"), json(text, "pi"));
	printf("[%s] [%s] [%s] [%s]\n", json(text, "sizes[3]"), json(text, "nam"), json(text, "name.x"), json(text, ""));
	printf("%d %d\n", json(text, "no") == NULL, strtoll(json(text, "sizes[1]")) + 1);
}
BEGIN
{
	list = "{\"a\":[7,8],\"-1\":9}";
	printf("[%s] [%s] [%s] [%s] ", json("[7,8]", "foo"), json(list, "a[-1]"), json(list, "a[1x]"), json(list, "a[4294967297]"));
	printf("[%s] [%s] [%s]\n", json("[7,8]", ""), json(list, "a[01]"), json(list, "-1"));
}
profile-97 { printf("[%s] [%s]\n", json(execname, "a[0]"), json(execname, "[1]")); }
END { printf("[%s] [%s]\n", json("{\"k\":\"v\"}", "k"), json("[1,[2,3]]", "[1][0]")); }
