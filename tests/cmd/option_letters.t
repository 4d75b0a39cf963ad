#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# An option with a letter has the same effect as -x with its name. Nothing here needs privileges.
. "$SRC/tests/lib/tap.sh"

printf '#ifdef LOUD\nBEGIN { trace("loud"); }\n#else\nBEGIN { trace(__STDC__ + 0); }\n#endif\n' >"$work/a.d"
printf '#include "a.h"\nBEGIN { trace(1); }\n' >"$work/h.d"
echo '/* empty */' >"$work/a.h"
mkdir "$work/lib"
echo 'inline int SEVEN = 7;' >"$work/lib/seven.d"

# each_way LETTER VALUE OPTION ARGUMENT...: the result must be the same with LETTER VALUE and with -x OPTION=VALUE, but
# different without them. VALUE is - if the option has none.
result() { # what `run` has left, without the number of the CPU
	printf '%s\n' "$status:$out" "$err" | sed 's/^ *[0-9]* |/|/'
}
each_way() {
	letter=$1 value=$2 option=$3
	shift 3
	[ "$value" != - ] || value=
	run "$DTR" "$@"
	without=$(result)
	run "$DTR" "$letter$value" "$@"
	with=$(result)
	run "$DTR" -x "$option${value:+=$value}" "$@"
	is "$(result)" "$with" "$letter and -x $option have the same effect"
	ok "$([ "$with" != "$without" ]; echo $?)" "$letter has an effect"
}
each_way -F - flowindent -x engine=user -n 'BEGIN { exit(0); }'
each_way -Z - zdefs -e -n 'nosuch:::probe'
each_way -L "$work/lib" libdir -e -n 'BEGIN { exit(SEVEN); }'
if any_of cpp gcc clang cc; then
	each_way -D LOUD define -C -d P -s "$work/a.d"
	each_way -U LOUD undef -C -D LOUD -d P -s "$work/a.d"
	each_way -X c stdc -C -d P -s "$work/a.d"
	each_way -H - cpphdrs -C -e -s "$work/h.d"
else
	skip 'the options of the preprocessor' 'no C preprocessor'
fi

# profself has no letter. With it, profile probes share thread variables with other probes, and no warning is printed.
run "$DTR" -e -n 'profile-97 { self->x = 1; } syscall:::entry { trace(self->x); }'
like "$status:$err" '^0:dtr: warning: .*-x profself' 'a warning says that profile probes have their own self->'
run "$DTR" -e -x profself -n 'profile-97 { self->x = 1; } syscall:::entry { trace(self->x); }'
is "$status:$err" 0: 'no warning with -x profself'
done_testing
