# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A record that ends with a long string has only its beginning in the buffer: strings of all lengths are whole, and
# many short ones fit into a buffer that would hold a few of strsize=4096.
. "$SRC/tests/lib/tap.sh"
need_kernel

# Paths of known lengths, around those at which fewer bytes are sent; the last ones do not fit into strsize.
lengths='1 7 8 62 63 64 253 254 255 256 257 1000 1021 1022 1023 1024 1025 4000 4093 4094 4095 4096'
path() { printf "%${1}s" '' | tr ' ' x; }
for n in $lengths; do path "$n" | cut -c1-4095; done >"$work/want"
for n in $lengths; do
	printf '%s\n' "BEGIN { x = strjoin(\"$(path $((n - 1)))\", \"x\"); printf(\"%s\\n\", x); }"
done >"$work/all.d"
echo 'BEGIN { exit(0); }' >>"$work/all.d"
run "$DTR" -x strsize=4096 -qs "$work/all.d"
is "$status:$err" 0: 'strings of all lengths'
ok "$(printf '%s\n' "$out" | cmp -s - "$work/want"; echo $?)" 'each is whole, or cut at strsize'
run "$DTR" -O json -x strsize=4096 -qs "$work/all.d"
is "$(printf '%s\n' "$out" | sed -n 's/.*"args":\["\(x*\)"\].*/\1/p' | cksum)" "$(cksum <"$work/want")" 'as JSON, too'

if with_bpf 'system calls'; then
	# a buffer of 64 KB holds 15 strings of 4 KB
	ten='BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN'
	run "$DTR" -q -x strsize=4096 -x bufsize=64k -x switchrate=1m -x bufqueue=0 -n "
		BEGIN { x = \"short\"; }
		$ten, $ten, $ten { printf(\"%d %s\\n\", pid, x); }
		BEGIN { exit(0); }"
	is "$status:$err:$(printf '%s\n' "$out" | grep -c " short$")" 0::30 'short strings take little of the buffer'
fi
done_testing
