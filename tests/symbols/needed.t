# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The libraries that the dynamic loader will load with a program, compared with what it loads (LD_TRACE_LOADED_OBJECTS).
. "$SRC/tests/lib/tap.sh"
needed=$here/tests/symbols/needed
cd "$work" || exit 1

# PROGRAM: the files that the loader loads, by device and inode, without the loader itself
loaded() {
	LD_TRACE_LOADED_OBJECTS=1 "$1" |
		sed -n 's/.* => \([^ ]*\/[^ ]*\) (.*/\1/p; s/^[[:space:]]*\([^ ]*\/[^ ]*\) (.*/\1/p' |
		grep -v '/ld-linux' | xargs -r stat -L -c '%d:%i' | sort
}
found() { "$needed" "$1" | grep -v '/ld-linux' | xargs -r stat -L -c '%d:%i' | sort; }
same() { # PROGRAM TEXT
	want=$(loaded "$1")
	is "$(found "$1")" "$want" "$2"
	[ -n "$want" ] || fail "$2: the loader loads something"
}

for name in bash python3 perl git openssl ssh gdb clang vim node qemu-system-x86_64; do
	path=$(command -v $name) || continue
	path=$(readlink -f "$path")
	case $(head -c 4 "$path" | od -An -c | tr -d ' ') in 177ELF) same "$path" "$name" ;; esac
done
if cc=$(command -v "${CC%% *}" 2>/dev/null || command -v gcc || command -v clang); then
	mkdir -p origin/lib elsewhere third
	echo 'int inner(void) { return 1; }' >inner.c
	echo 'int inner(void); int outer(void) { return inner(); }' >outer.c
	echo 'int outer(void); int main(void) { return outer() - 1; }' >main.c
	"$cc" -shared -fPIC -o origin/lib/libinner.so inner.c
	"$cc" -shared -fPIC -o origin/lib/libouter.so outer.c -Lorigin/lib -linner -Wl,-rpath,'$ORIGIN'
	"$cc" -o origin/main main.c -Lorigin/lib -louter -Wl,-rpath,'/nonexistent:$ORIGIN/lib' \
		-Wl,-rpath-link,origin/lib
	same origin/main 'DT_RUNPATH with $ORIGIN, of a program and of its library'
	cp origin/lib/libouter.so elsewhere/
	cp origin/lib/libinner.so elsewhere/
	LD_LIBRARY_PATH=$work/elsewhere
	export LD_LIBRARY_PATH
	same origin/main 'LD_LIBRARY_PATH comes before DT_RUNPATH'
	printf '\177ELF\002\001\001 not a library' >third/libouter.so
	LD_LIBRARY_PATH=$work/third:$work/elsewhere
	is "$(found origin/main | grep -c "$(stat -c '%d:%i' elsewhere/libouter.so)")" 1 'a damaged library is left out'
	unset LD_LIBRARY_PATH
	mkdir beside && cp origin/lib/libinner.so beside/
	"$cc" -o beside/slash main.c outer.c beside/libinner.so
	"$cc" -o beside/dot main.c outer.c -Lbeside -linner -Wl,-rpath,beside
	"$cc" -o beside/path main.c outer.c -Lbeside -linner
	same beside/slash 'a name with a slash is relative to the working directory'
	same beside/dot 'a relative DT_RUNPATH'
	LD_LIBRARY_PATH=beside
	export LD_LIBRARY_PATH
	same beside/path 'a relative LD_LIBRARY_PATH'
	LD_LIBRARY_PATH=/nonexistent:
	(cd beside && "$needed" path | grep libinner) >paths
	is "$(cat paths)" "$work/beside/./libinner.so" 'an empty directory is the working directory; paths are absolute'
	unset LD_LIBRARY_PATH
	"$cc" -static -o static main.c outer.c inner.c && is "$("$needed" static)" '' 'a static program needs none'
	echo '#!/bin/sh' >script
	is "$("$needed" script)$("$needed" nonexistent)$("$needed" .)" '' 'what is not a program needs none'
else
	skip 'search paths' 'no compiler' 9
fi
done_testing
