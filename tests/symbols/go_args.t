# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Arguments and results of functions of Go, and of C in the same program (arguments.go): args[] by debugging
# information, arg0 ... also in stripped programs.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP only on x86-64'; exit 0 ;; esac
any_of go && any_of gcc || { echo '1..0 # SKIP no Go or gcc'; exit 0; }
need_kernel
[ "${DTR_OPT_ENGINE-}" != user ] || { echo '1..0 # SKIP pid probes need the kernel engine'; exit 0; }
cd "$work" || exit 1

compile() { # OPTION...
	GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache go build "$@" -o arguments \
		"$SRC/tests/symbols/arguments.go" >messages 2>&1 || { ok 1 "go build $*" "$(cat messages)"; return 1; }
}

cat >typed.d <<'END'
pid$target::main.mixed:entry
{
	printf("mixed %d %s %s %d %d %d", args[0], args[1], stringof(copyin((uintptr_t)args[2], 5)), arg4,
	    *(userland int32_t *)args[4], args[5]);
}
pid$target::main.mixed:return { printf(" = %d %s %s\n", args[1], args[2], arg4 ? "true" : "false"); }
pid$target::main.stack:entry
{
	printf("stack %d %d %d %s %d %d %s", args[0], args[4], *(userland int32_t *)args[5], args[6], args[7], args[8],
	    args[9]);
}
pid$target::main.stack:return { printf(" = %d\n", args[1]); }
pid$target::c_add:return { printf(" = %d\n", (int)arg1); }
pid$target::main.call:entry { printf("call %d", args[1]); }
pid$target::main.call:return { printf(" = %d\n", (int)arg1); }
pid$target::c_add:entry { printf("c_add %d %d", (int)arg0, (int)arg1); }
END
cat >plain.d <<'END'
pid$target::main.mixed:entry
{
	printf("mixed %d %s %s %d %d %d", arg0, arg2 ? copyinstr(arg1, arg2) : "", copyinstr(arg3, arg4), arg4,
	    *(userland int32_t *)arg6, (uint8_t)arg7);
}
pid$target::main.mixed:return
{
	printf(" = %d %s %s\n", arg1, copyinstr(arg2, arg3), arg4 ? "true" : "false");
}
pid$target::main.stack:entry
{
	this->last = (userland uint64_t *)(uregs[R_RSP] + 24);
	printf("stack %d %d %d %s %d %d %s", arg0, arg4, (int32_t)arg9, copyinstr(arg5, arg6), (int8_t)arg7,
	    (int8_t)arg8, this->last[1] ? copyinstr(this->last[0], this->last[1]) : "");
}
pid$target::main.stack:return { printf(" = %d\n", (int8_t)arg1); }
END

# NAME SCRIPT PATTERN: each line of the program that matches is a line of dtr
compared() {
	run "$DTR" -qs "$2" -o traced -c ./arguments
	same "$(cat traced)" "$(printf '%s\n' "$out" | grep -E "$3")" "$1"
	rm -f traced
}

cat >lengths.d <<'END'
pid$target::main.mixed:entry { @[args[1], args[1].len, args[2].len, args[2].cap >= 5] = count(); }
pid$target::main.mixed:return { @r[args[2].len] = count(); }
pid$target::main.stack:entry { @s[args[6].len, args[9].len] = count(); }
END { printa("%s %d %d %d %@d\n", @); printa("%d %@d\n", @r); printa("%d %d %@d\n", @s); }
END
compile && compared 'with debugging information' typed.d .
run "$DTR" -qs lengths.d -o traced -c ./arguments
same "$(LC_ALL=C sort traced)" ' 0 5 1 1
1 1
3 0 1
3 1
3 2 1
3 4 1
5 1
ab 2 5 1 1
abab 4 5 1 1' 'lengths of strings and slices'
rm -f traced
run "$DTR" -qn 'pid$target::main.mixed:entry { trace(args[2].length); }' -c ./arguments
like "$err" 'length is not a member of args\[2\], which has len and cap' 'another member'
run "$DTR" -qn 'pid$target::main.mixed:entry { trace(args[0].len); }' -c ./arguments
like "$err" 'operator \. cannot be applied to type "int64_t"' 'an integer has no members'
compile -buildmode=pie && compared 'position-independent, with debugging information' typed.d .
compile -ldflags '-s -w' && compared 'stripped' plain.d '^(mixed|stack) '
compile -buildmode=pie -ldflags '-s -w' && compared 'position-independent, stripped' plain.d '^(mixed|stack) '
done_testing
