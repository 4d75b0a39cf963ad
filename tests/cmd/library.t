# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -L: D libraries, their order and dependencies; -x nolibs, syslibdir, argref, empty. Scripts are only compiled.
. "$SRC/tests/lib/tap.sh"

mkdir "$work/lib" "$work/more" "$work/sys" "$work/bad" "$work/ring"
printf '#pragma D depends_on library z.d\n#pragma D depends_on library m.d\ninline int SEVEN = SIX + ONE;\n' \
	>"$work/lib/a.d"
printf '#pragma D depends_on provider profile\n#pragma D depends_on module kernel\ninline int SIX = 6;\n' \
	>"$work/lib/z.d"
printf '/* not for this machine */\n#pragma D depends_on provider nosuch\nthis is no D at all\n' >"$work/lib/b.d"
printf '#pragma D depends_on library b.d\ninline int LATER = 1;\n' >"$work/lib/c.d"
printf 'not a library' >"$work/lib/notes.txt"
: >"$work/lib/empty.d"
printf 'inline int ONE = 1;\n' >"$work/more/m.d"
run "$DTR" -e -L "$work/lib" -L "$work/more" -n 'BEGIN { exit(SEVEN); }'
is "$status" 0 'libraries are read in the order of their dependencies'
is "$err" '' 'libraries with a missing dependency are skipped silently'
run "$DTR" -e -L "$work/lib" -L "$work/more" -n 'BEGIN { exit(LATER); }'
is "$status" 1 'libraries that depend on a skipped one are skipped, too'
run "$DTR" -e -L "$work/lib" -L "$work/more" -n '#pragma D depends_on library a.d
BEGIN { exit(SEVEN); }'
is "$status" 0 'a script may depend on a library'
run "$DTR" -e -xerrtags -n '#pragma D depends_on library a.d
BEGIN { exit(1); }'
like "$err" '\[D_PRAGMA_DEPEND\] line 1: program requires library a.d' 'a missing library is an error'
run "$DTR" -eZ -n '#pragma D depends_on provider nosuch
BEGIN { exit(1); }'
is "$status" 0 '-Z ignores missing dependencies'
run "$DTR" -e -x nolibs -L "$work/lib" -n 'BEGIN { exit(SIX); }'
is "$status" 1 '-x nolibs reads no libraries'
run "$DTR" -e -x nolibs -n 'profile-97 { trace(curpsinfo->pr_pid); }'
is "$status" 1 '-x nolibs does not read the prelude'
printf 'BEGIN { trace(1); }\n' >"$work/bad/clause.d"
run "$DTR" -e -L "$work/bad" -n BEGIN
like "$err" "failed to compile script $work/bad/clause.d: line 1: a library can contain only declarations" \
	'a clause in a library is an error'
printf '#pragma D depends_on library none.d\n' >"$work/bad/clause.d"
run "$DTR" -e -L "$work/bad" -n BEGIN
is "$status:$err" "1:dtr: library $work/bad/clause.d depends on none.d, which does not exist" \
	'a library that depends on one that does not exist is an error'
printf '#pragma D depends_on library b.d\n' >"$work/ring/a.d"
printf '#pragma D depends_on library a.d\n' >"$work/ring/b.d"
run "$DTR" -e -L "$work/ring" -n BEGIN
is "$status" 1 'libraries that depend on each other are an error'
like "$err" "library $work/ring/a.d depends on itself" 'the error names the library'
run "$DTR" -e -L /nonexistent -n BEGIN
is "$status" 1 'a missing directory is an error'
like "$err" 'failed to open library directory /nonexistent: No such file' 'the error names the directory'
run "$DTR" -e -x syslibdir="$work/sys" -n 'profile-97 { trace(curpsinfo->pr_pid); }'
like "$err" "$work/sys/prelude.d" '-x syslibdir sets the directory of the prelude'
run "$DTR" -e -x argref -n 'BEGIN { trace($1); }' 1 2 3
is "$status" 0 '-x argref permits unused arguments'
run "$DTR" -e -n '/* nothing */'
is "$status" 1 'an empty program is an error'
run "$DTR" -e -x empty -n '/* nothing */'
is "$status" 0 '-x empty permits an empty program'
run "$DTR" -e -n 'provider mine { probe start(int); probe go__now(char *a) : (void); };
BEGIN { exit(0); }'
is "$status" 0 'declarations of providers are accepted'
run "$DTR" -e -n '#pragma D option version=1.2
BEGIN { exit(0); }'
is "$status" 0 'a supported version of D'
run "$DTR" -e -n '#pragma D option version=9.9
BEGIN { exit(0); }'
like "$err" 'unknown version 9.9 of D' 'an unknown version of D is an error'
done_testing
