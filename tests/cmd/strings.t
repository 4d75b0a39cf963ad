# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The string functions on this kernel: the same results for every strsize, truncation with a small one, long programs
# that are split, and clauses of ERROR.
. "$SRC/tests/lib/tap.sh"
need_kernel

cat >"$work/all.d" <<'EOT'
#pragma D option quiet
BEGIN { x = "hello, world"; p = "/usr//./x/../dtr"; d = ", "; n = 0x7b; j = "{\"a\":[1,\"b\"]}"; }
BEGIN
{
	printf("%d %s %s %s\n", strlen(x), strjoin(x, "!"), substr(x, 1, 4), substr(x, -3));
	printf("%d %d %s %s %s\n", index(x, "o"), rindex(x, "o"), strstr(x, "lo"), strchr(x, 'w'), strrchr(x, 'l'));
}
BEGIN { printf("%s %s %s %s %s\n", toupper(x), tolower(x), basename(p), dirname(p), cleanpath(p)); }
BEGIN { printf("%s|%s|%s\n", strtok(x, d), strtok(NULL, d), strtok(NULL, ", ")); }
BEGIN { printf("%s %s %d %d\n", lltostr(n), lltostr(n, 16), strtoll("42"), strtoll(lltostr(n, 16), 16)); }
BEGIN { printf("%s %s\n", json(j, "a[1]"), json(j, "a")); exit(0); }
EOT
want='12 hello, world! ello rld
4 8 lo, world world ld
HELLO, WORLD hello, world dtr /usr//./x/.. /usr/dtr
hello|world|
123 0x7b 42 123
b [1,"b"]'
for size in 17 24 100 256 1024 4096; do
	run "$DTR" -x strsize=$size -s "$work/all.d"
	is "$status$out$err" "0$want" "strsize=$size"
done
run "$DTR" -x strsize=16 -qn 'BEGIN { x = "hello, world"; printf("%s %d %s\n", strjoin(x, x), strlen(strjoin(x, x)),
	strjoin(x, "123"));
	printf("%s %s\n", lltostr(1234567890123456789 + cpu - cpu), strjoin(strtok(x, "w"), toupper(x))); exit(0); }'
is "$status$out$err" '0hello, worldhel 15 hello, world123
123456789012345 hello, HELLO, W' 'strsize=16 truncates strings'

# Every CPU changes the string while the others read it.
spin_on 0
run "$DTR" -x strsize=64 -qn '
	BEGIN { s = "short"; }
	profile-997 { s = s == "short" ? "a string that is a good deal longer" : "short"; }
	profile-1999 { @ = max(strlen(strjoin(s, s))); }
	tick-1s { exit(0); } END { printa("longest %@d\n", @); }'
stop "$spin"
is "$status" 0 'a string that changes while it is read'
between "$(echo "$out" | sed -n 's/^longest //p')" 5 63 'its length never exceeds strsize'

{
	echo '#pragma D option quiet'
	echo 'BEGIN { x = "dtr"; }'
	i=0
	while [ $i -lt 200 ]; do
		echo "BEGIN /strstr(x, \"$i\") == NULL/ { @[strjoin(\"key\", lltostr($i + strlen(x)))] = count(); }"
		i=$((i + 1))
	done
	echo 'BEGIN { exit(0); }'
} >"$work/long.d"
run "$DTR" -s "$work/long.d"
is "$status$err$(echo "$out" | grep -c 'key[0-9]* *1$')" 0200 '200 clauses with three calls each'

run "$DTR" -qn 'BEGIN { s = "dtr"; }
	BEGIN { printf("%s %s\n", strjoin(s, "a"), stringof((char *)8)); }
	ERROR { printf("%s %s %s [%s]\n", strjoin(s, strstr(s, "t")), json("{\"dtr\":1}", s), strtok(s, "t"),
	strjoin(probename, lltostr(arg4))); exit(0); }'
is "$status$out" '0dtrtr 1 d [ERROR1]' 'string functions in a clause of ERROR'
# Pointers to strings.
is_golden 'Strings as pointers'
done_testing
