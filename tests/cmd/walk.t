# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A reader who follows a one-liner from main() to the printed row passes at most 65 functions (tools/walk).
. "$SRC/tests/lib/tap.sh"
need_kernel
any_of gdb || { echo '1..0 # SKIP gdb is not installed'; exit 0; }
any_of python3 || { echo '1..0 # SKIP python3 is not installed'; exit 0; }

run "$SRC/tools/walk" -s "$DTR"
is "$status" 0 'all points between main() and the printed row are passed'
like "$out" '^the text is written: main > ' 'the stack at the last point begins with main()'
like "$out" '^aggregation/count.c +count_update +count\(\) becomes IR' 'count() becomes IR in its file'
unlike "$out" '^base/' 'containers do not count'
functions=$(printf '%s\n' "$out" | sed -n 's/ functions$//p')
rows=$(printf '%s\n' "$out" | awk '$1 ~ /\.c$/ { print $1, $2 }' | sort -u | wc -l)
is "$functions" "$rows" 'each counts once'
between "${functions:-0}" 1 65 'at most 65 functions'
done_testing
