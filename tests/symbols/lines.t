# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Source lines and inlined functions in stacks: at many addresses compared with addr2line, and in the stacks of a
# program with known ones (inlined.c), in both engines and in each format.
. "$SRC/tests/lib/tap.sh"
# shellcheck disable=SC2086 # $as is empty or a command
:
dir=$here/tests/symbols
where=$dir/where
chmod 755 "$work"
as=
DEBUGINFOD_URLS=
# The leak check of clang 14 fails where libdw, loaded at run time, has used thread-local memory.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export DEBUGINFOD_URLS ASAN_OPTIONS
run "$where" "$dir/inlined" </dev/null
case $err in *'not installed'*) echo "1..0 # SKIP $err"; exit 0 ;; esac

# ---- addresses ----

# FILE: 3000 addresses in its code
addresses() {
	# shellcheck disable=SC2046 # address and size
	set -- $(readelf -SW "$1" | awk '{ for (i = 1; i < NF; i++) if ($i == ".text") print $(i + 2), $(i + 4) }')
	awk -v start=$((0x$1)) -v size=$((0x$2)) 'BEGIN {
		srand(5)
		for (i = 0; i < 3000; i++) printf "0x%x\n", start + (size < 3000 ? i % size : int(rand() * size)) }'
}

# What addr2line cannot know without debugging information is left out, and the name of the function that is not
# inlined.
plain() {
	sed 's/ (discriminator.*//; s/:?$/:0/; s/^[^:]*:0$/??:0/' | awk '
		function put(  i) { if (n > 1) line[n - 2] = "-"; for (i = 0; i < n; i++) print line[i]; n = 0 }
		/^0x/ { put(); print; next }
		{ line[n++] = $0 }
		END { put() }'
}

# NAME FILE [REFERENCE]: the same as addr2line reads from FILE, or from REFERENCE
same_as_addr2line() {
	case $(readelf --debug-dump=info "${3:-$2}" 2>/dev/null | grep -m 1 DW_AT_producer) in
	*GNU*) ;;
	*) skip "$1" 'addr2line cannot read what this compiler writes'; return ;;
	esac
	addresses "$2" >"$work/addresses"
	"$where" "$2" <"$work/addresses" | plain >"$work/ours"
	addr2line -a -i -f -s -e "${3:-$2}" <"$work/addresses" | plain >"$work/theirs"
	awk '/^0x/ { n++ } END { exit !(NR > 3 * n && n >= 3000) }' "$work/theirs" &&
		diff "$work/ours" "$work/theirs" >"$work/diff"
	ok $? "$1" "$(head -n 20 "$work/diff")"
}

if any_of addr2line; then
	same_as_addr2line 'a program at a fixed address, as addr2line' "$dir/inlined-fixed"
	same_as_addr2line 'a program of several files, as addr2line' "$where"
	objcopy --compress-debug-sections=zlib "$where" "$work/packed"
	same_as_addr2line 'compressed information' "$work/packed"
	mkdir "$work/.debug"
	objcopy --only-keep-debug "$where" "$work/.debug/where.debug"
	objcopy --strip-all --add-gnu-debuglink="$work/.debug/where.debug" "$where" "$work/stripped"
	same_as_addr2line 'a separate debug file' "$work/stripped" "$where"
	same_as_addr2line 'version 5' "$dir/inlined"
else
	skip 'addresses' 'addr2line is not installed'
fi

# ---- broken files ----
info=$(readelf -SW "$dir/inlined-fixed" | awk '{ for (i = 1; i < NF; i++) if ($i == ".debug_info") print $(i + 3) }')
size=$(readelf -SW "$dir/inlined-fixed" | awk '{ for (i = 1; i < NF; i++) if ($i == ".debug_info") print $(i + 4) }')
addresses "$dir/inlined-fixed" | head -n 100 >"$work/addresses"
ended=0
for i in $(seq 1 60); do
	cp "$dir/inlined-fixed" "$work/broken"
	# shellcheck disable=SC2059 # 16 bytes as escape sequences
	printf "$(awk -v i="$i" 'BEGIN { srand(i); for (k = 0; k < 16; k++) printf "\\%03o", rand() * 256 }')" |
		dd of="$work/broken" bs=1 conv=notrunc seek=$((0x$info + 0x$size * i / 61)) 2>/dev/null
	timeout 60 "$where" "$work/broken" <"$work/addresses" >/dev/null 2>"$work/err" && ended=$((ended + 1))
done
is "$ended" 60 'broken information does no harm'
: >"$work/err"

# ---- stacks ----
line_of() { grep -n "line $1 " "$SRC/tests/symbols/$2" | cut -d : -f 1; }
innermost=$(line_of innermost inlined.h)
chain="innermost (inlined) [inlined.h:$innermost]
inner (inlined) [inlined.c:$(line_of inner inlined.c)]
middle (inlined) [inlined.c:$(line_of middle inlined.c)]
outer [inlined.c:$(line_of outer inlined.c)]
wrapper (inlined) [inlined.c:$(line_of wrapper inlined.c)]
main [inlined.c:$(line_of main inlined.c)]"
script='profile-997 /pid == $target/ { @[ustack()] = count(); }'

# FILE: the most frequent stack of text output, innermost first, without offsets, module names and what called main
top_stack() {
	awk 'NF == 1 && /^ *[0-9]+$/ { if (stack != "" && (sum[stack] += $1) > most) { most = sum[stack]; best = stack }
			stack = ""; next }
		NF { sub(/^ +/, ""); sub(/^[^`]*`/, ""); sub(/[+]0x[0-9a-f]+/, ""); stack = stack $0 "\n" }
		END { printf "%s", best }' "$1" | sed '/^main/q'
}

# WANT NAME OPTION...: the most frequent stack of the program
stack_is() {
	tap_want=$1 tap_name=$2
	shift 2
	run $as "$DTR" -x engine=$engine -x ledger=off "$@" -qn "$script" -c "$program 1000"
	is "$(top_stack "$work/out")" "$tap_want" "$engine: $tap_name"
}

both_options='-x stackinline -x stacklines'
no_lines=$(printf '%s\n' "$chain" | sed 's/ \[.*//')
no_inlined=$(printf '%s\n' "$chain" | grep -v '(inlined)')

# The most frequent path of a picture, innermost first, and what called main removed.
top_path() {
	sort -t ' ' -k 1,1 "$1" | awk '{ if ($NF > most) { most = $NF; best = $0 } } END { print best }' |
		sed 's/ [0-9]*$//' | tr ';' '\n' | sed 's/^[^`]*`//' | tac | sed '/^main/q'
}

stacks() {
	program=$dir/inlined
	stack_is "$no_inlined" '-x stacklines' -x stacklines
	stack_is "$no_lines" '-x stackinline' -x stackinline
	stack_is "$chain" 'both' $both_options
	stack_is "$(printf '%s\n' "$no_inlined" | sed 's/ \[.*//')" 'neither'
	script_was=$script
	script='profile-997 /pid == $target/ { ustack(); printf("1\n"); }'
	stack_is "$chain" 'records' $both_options
	script=$script_was

	run $as "$DTR" -x engine=$engine -x ledger=off $both_options -O folded -qn "$script" -c "$program 1000"
	is "$(top_path "$work/out")" "$chain" "$engine: -O folded"
	run $as "$DTR" -x engine=$engine -x ledger=off $both_options -O json -qn "$script" -c "$program 1000"
	file='"file":"[^"]*/tests/symbols/inlined.h"'
	like "$out" '"symbol":"inlined`innermost","inlined":true,'"$file,\"line\":$innermost\}" "$engine: -O json"
	run $as "$DTR" -x engine=$engine -x ledger=off $both_options -O speedscope -qn "$script" -c "$program 1000"
	like "$out" '"name":"innermost \(inlined\)",'"$file,\"line\":$innermost\}" "$engine: -O speedscope"
	run $as "$DTR" -x engine=$engine -x ledger=off $both_options -O html -qn "$script" -c "$program 1000"
	like "$out" "\"innermost \\(inlined\\) \\[inlined.h:$innermost\\]\",\"inlined\"" "$engine: -O html"
	run $as "$DTR" -x engine=$engine -x ledger=off $both_options -O pprof -qn "$script" -c "$program 1000"
	gzip -dc <"$work/out" >"$work/profile" && grep -aq '/tests/symbols/inlined\.h' "$work/profile" &&
		grep -aq 'innermost (inlined)' "$work/profile"
	ok $? "$engine: -O pprof"

	rm -f "$work/open/rec"
	run $as "$DTR" record -x engine=$engine -F 997 -g -c "$program 1000" -o "$work/open/rec"
	run "$DTR" -r "$work/open/rec" $both_options -qn 'profile-997 { @[ustack()] = count(); }'
	is "$(top_stack "$work/out")" "$chain" "$engine: a recording"

	mkdir -p "$work/open/.debug"
	objcopy --only-keep-debug "$dir/inlined" "$work/open/.debug/inlined.debug"
	objcopy --strip-all --add-gnu-debuglink="$work/open/.debug/inlined.debug" "$dir/inlined" "$work/open/inlined"
	program=$work/open/inlined
	stack_is "$chain" 'a separate debug file' $both_options
	rm -r "$work/open/.debug"
	run $as "$DTR" -x engine=$engine -x ledger=off $both_options -qn "$script" -c "$program 1000"
	unlike "$out" 'inlined.c:|inlined`.*\(inlined\)' "$engine: no information"
	like "$out" 'inlined`0x' "$engine: no information, but addresses"
	is "$(messages)" '' "$engine: no information is no error"
}

mkdir -m 777 "$work/open"
if [ "${DTR_OPT_ENGINE:-}" != user ] && "$here/tests/kernel/can_bpf" >/dev/null; then
	engine=bpf
	stacks
fi
engine=user

# ---- debuginfod ----
# A server on this machine, which keeps a list of its requests.
cat >"$work/server.py" <<'END'
import http.server, os, sys
folder, log = sys.argv[1], sys.argv[2]
class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *a): super().__init__(*a, directory=folder)
    def log_message(self, *a):
        with open(log, "a") as f: f.write(self.path + "\n")
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(log + ".port.new", "w") as f: f.write(str(server.server_address[1]))
os.rename(log + ".port.new", log + ".port")
server.serve_forever()
END
debuginfod() {
	id=$(readelf -n "$dir/inlined" | awk '/Build ID:/ { print $3 }')
	mkdir -p "$work/server/buildid/$id" "$work/cache"
	objcopy --only-keep-debug "$dir/inlined" "$work/server/buildid/$id/debuginfo"
	strip -o "$work/open/inlined" "$dir/inlined"
	python3 "$work/server.py" "$work/server" "$work/requests" >/dev/null 2>&1 &
	children="$children $!"
	wait_until test -e "$work/requests.port"
	: >"$work/requests"
	DEBUGINFOD_CACHE_PATH=$work/cache
	export DEBUGINFOD_CACHE_PATH
	program=$work/open/inlined
	run "$DTR" -x engine=user -x ledger=off $both_options -qn "$script" -c "$program 500"
	is "$(cat "$work/requests")" '' 'debuginfod: no request without DEBUGINFOD_URLS'
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$work/requests.port")
	run "$DTR" -x engine=user -x ledger=off -qn "$script" -c "$program 500"
	is "$(cat "$work/requests")" '' 'debuginfod: no request without the options'
	run "$DTR" -x engine=user -x ledger=off $both_options -qn "$script" -c "$program 500"
	like "$(cat "$work/requests")" "^/buildid/$id/debuginfo$" 'debuginfod: the file is requested by its build ID'
	like "$out" "innermost \(inlined\) \[inlined.h:$innermost\]" 'debuginfod: its information is used'
	like "$out" 'inlined`outer[+ ]' 'debuginfod: functions have names'
	DEBUGINFOD_URLS=
}
if ! any_of python3; then
	skip 'debuginfod' 'python3 is not installed'
elif ! ldconfig -p 2>/dev/null | grep -q 'libdebuginfod\.so\.1 '; then
	DEBUGINFOD_URLS=http://127.0.0.1:1
	strip -o "$work/open/inlined" "$dir/inlined"
	run "$DTR" -x engine=user -x ledger=off $both_options -qn "$script" -c "$work/open/inlined 500"
	DEBUGINFOD_URLS=
	like "$err" 'DEBUGINFOD_URLS is set, but .*libdebuginfod.so.1 is not installed' 'debuginfod is not installed'
else
	debuginfod
fi

as=$here/tests/kernel/as_user
"$as" test -x "$DTR" || as=
run $as "$DTR" -x engine=user -qn 'profile-997 { exit(0); }' -c "$dir/inlined 50"
case $err in
*'no program counters'*) [ "$(id -u)" = 0 ] || { skip 'the rootless engine' 'no perf events'; done_testing; }
	as= ;;
esac
stacks
done_testing
