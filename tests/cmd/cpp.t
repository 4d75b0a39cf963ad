# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -C, the options of the preprocessor, and line markers. Scripts are only compiled, so no privilege is needed.
. "$SRC/tests/lib/tap.sh"

dumped() { # ARGUMENTS...: prints the parse tree
	run "$DTR" -d P "$@"
}

cat >"$work/inc.h" <<'X'
#define FROM_HEADER 4
inline int deep = 5;
X
cat >"$work/a.d" <<'X'
#!/usr/sbin/dtr -Cs
#include "inc.h"
#define SUM(a, b) ((a) + (b))
/* a comment
 */
BEGIN
{
	trace(SUM(FROM_HEADER, deep));
	trace("linux unix");
}
#ifdef __SUNW_D
profile-1ms
{
	exit(MORE);
}
#endif
X
if ! any_of cpp gcc clang cc; then
	echo '1..0 # SKIP no C preprocessor'
	exit 0
fi
dumped -C -DMORE=33 -s "$work/a.d"
is "$status" 0 '-C compiles'
like "$out" '^      int 33 : int$' '-D reaches the script'
like "$out" '^      string "linux unix"$' 'macros are not expanded in strings'
like "$out" '^        int 4 : int$' 'a header in the folder of the script is found'
like "$out" '^inline deep : int$' 'its declarations are available'
like "$out" '^  probe profile-1ms$' 'dtr defines __SUNW_D'
dumped -C -DMORE=33 -U__SUNW_D -s "$work/a.d"
like "$out" '^  probe BEGIN$' '-U keeps the rest of the script'
unlike "$out" 'profile-1ms' '-U removes a macro'
run "$DTR" -e -C -s "$work/a.d"
is "$status" 1 'an undefined macro is an error'
like "$err" "^dtr: failed to compile script $work/a.d: line 14: failed to resolve MORE" \
	'the error names the line of the original script'
like "$err" '^   14 \|.*exit\(MORE\);' 'the error shows that line'
printf 'BEGIN { trace(nosuch); }\n' >>"$work/inc.h"
run "$DTR" -e -CDMORE=1 -s "$work/a.d"
like "$err" "^dtr: failed to compile script $work/a.d: \"$work/inc.h\", line 3: failed to resolve nosuch" \
	'an error in a header names the header'
mkdir "$work/elsewhere"
printf '#define HERE 77\n' >"$work/elsewhere/there.h"
printf '#include <there.h>\nBEGIN { exit(HERE); }\n' >"$work/b.d"
run "$DTR" -e -C -s "$work/b.d"
is "$status" 1 'a missing header is an error'
like "$err" 'there\.h: No such file' 'cpp names the header'
like "$err" '^dtr: failed to compile script .*b.d: preprocessor failed to process input program' 'dtr names the script'
dumped -C -I "$work/elsewhere" -s "$work/b.d"
like "$out" '^      int 77 : int$' '-I names a directory'
printf '#define __nothrow __attribute__ ((__nothrow__))\nextern int *where (void) __nothrow;\n' >"$work/elsewhere/c.h"
printf 'extern int f (char *__restrict, int) __asm__ ("" "g") __attribute__ ((a (1), b));\n__extension__ typedef '\
'__signed__ char tiny;\n' >>"$work/elsewhere/c.h"
run "$DTR" -e -C -I "$work/elsewhere" -n '#include <c.h>
BEGIN { exit(sizeof (tiny)); }'
is "$status:$err" 0: 'attributes for C compilers are ignored'
run "$DTR" -e -C -H -I "$work/elsewhere" -s "$work/b.d"
like "$err" '^\. .*elsewhere/there\.h$' '-H lists the included headers'
dumped -x cpp -x incdir="$work/elsewhere" -s "$work/b.d"
like "$out" '^      int 77 : int$' '-x cpp and -x incdir'
for m in a c t; do
	dumped -C -X $m -n 'BEGIN { exit(__STDC__); }'
	is "$status" 0 "-X $m"
	is "$err" '' "-X $m is silent"
done
run "$DTR" -e -C -n '#if !__SUNW_D_64 || !__SVR4 || !__unix || !__linux || !__Linux || defined __GNUC__ || defined unix
#error
#endif
BEGIN { }'
is "$status" 0 'the macros that DTrace defines, and no others'
run "$DTR" -e -C -X s -n 'BEGIN { exit(__STDC__); }'
like "$status:$err" '^1:.*failed to resolve __STDC__' '-X s: no __STDC__'
run "$DTR" -e -X q -n BEGIN
is "$status" 2 '-X with an unknown letter is a usage error'
like "$err" "invalid value 'q' for option 'stdc'" 'the error names the value'
dumped -C -D 'TEXT="a b"' -n 'BEGIN { printf(TEXT); }'
like "$out" '^      string "a b"$' '-D with a string, in a program on the command line'
run "$DTR" -e -C -x cpppath=/nonexistent/cpp -n BEGIN
is "$status" 1 'a missing preprocessor is an error'
like "$err" 'no C preprocessor found \(/nonexistent/cpp\)' 'the error names it'
run "$DTR" -e -s "$work/a.d"
like "$err" 'line 2: #include is for the C preprocessor: use -C' 'directives are refused without -C'

# The system's headers define dev_t and thus the types in a translator of the prelude.
for header in sys/types.h sys/socket.h netinet/in.h sys/stat.h stdlib.h; do
	printf '#include <%s>\n' "$header"
done >"$work/h.d"
echo 'this char sizes[sizeof (dev_t) == 8 && sizeof (struct sockaddr_in) == 16 ? 1 : -1]; BEGIN {
	trace(curpsinfo->pr_ttydev); }' >>"$work/h.d"
run "$DTR" -e -C -s "$work/h.d"
is "$status $err" '0 ' 'system headers'
run "$DTR" -e -n 'typedef long dev_t; typedef int dev_t; BEGIN { }'
like "$err" 'identifier redeclared: dev_t is another type' 'a script cannot redeclare its own typedef'
run "$DTR" -e -n 'typedef char uint32_t; BEGIN { }'
like "$err" 'identifier redeclared: uint32_t is another type' 'a script cannot redeclare a fixed-width type'

printf 'BEGIN\n{\n\ttrace(1);\n}\n#line 100 "other.d"\nEND { trace(nosuch); }\n# 7\nEND { trace(nosuch2); }\n' \
	>"$work/l.d"
run "$DTR" -e -s "$work/l.d"
like "$err" '"other.d", line 100: failed to resolve nosuch:' '#line sets file and line'
like "$err" '"other.d", line 7: failed to resolve nosuch2:' '# with a number is a line marker, too'
printf '#line x\nBEGIN\n' >"$work/l.d"
run "$DTR" -e -xerrtags -s "$work/l.d"
like "$err" '\[D_PRAGMA_MALFORM\] line 1: malformed #line' 'a malformed line marker is an error'
done_testing
