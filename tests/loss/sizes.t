# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Extreme buffer sizes: refused, or usable for what they hold; what does not fit is counted.
. "$SRC/tests/loss/loss.sh"

script='BEGIN { @[1] = count(); a[1] = 1; printf("%d\n", a[1]); exit(0); }'
for option in 'aggsize:1 to 1024g:0 4t:1 16 4095' 'bufsize:1 to 1024g:0 4t:1 16 4095' \
	'dynvarsize:1 to 4g:0 4t:1 16 4095'; do
	small=${option##*:} option=${option%:*}
	wrong=${option##*:} option=${option%:*}
	range=${option#*:} option=${option%:*}
	for value in $wrong; do
		run "$DTR" -x "$option=$value" -qn "$script"
		is "$status:$(echo $err)" "2:dtr: invalid value '$value' for option '$option': must be from $range" \
			"$option=$value"
	done
	for value in '' -1 x 16x 1.5k 4kk 0x1000 99999999999999999999 '4k '; do
		run "$DTR" -x "$option=$value" -qn "$script"
		is "$status:$(echo $err)" \
			"2:$(echo \
		"dtr: invalid value '$value' for option '$option': expected a number, optionally with k, m, g or t")" \
			"$option='$value'"
	done
	for value in $small 4096 4k 4K 5000 1m; do
		run "$DTR" -x "$option=$value" -qn "$script"
		is "$status:$(echo $out):$err" "0:1 1 1:" "$option=$value"
	done
done
# (4g reserves a gigabyte, which is too much for every check)
[ "$times" = 1 ] && huge='aggsize=64m bufsize=64m dynvarsize=64m' || huge='aggsize=4g bufsize=1g dynvarsize=4g'
for option in $huge; do
	run "$DTR" -x "$option" -qn "$script"
	is "$status:$(echo $out):$err" '0:1 1 1:' "$option"
done

# Row tables of every size.
for value in 0 1 127 128 192 4k 256k 1m 64m; do
	run "$DTR" -x aggtable=$value -qn 'BEGIN { i = 1; @[i] = count(); @[++i] = count(); @[1] = count();
		@b[++i] = sum(7); exit(0); }'
	is "$status:$(echo $out):$err" '0:2 1 1 2 3 7:' "aggtable=$value"
done
for value in 0 1 127 128 4k 256k 64m; do
	run "$DTR" -x vartable=$value -qn 'BEGIN { a[1] = 2; a[-1] = 3; a[0]++; self->x = a[1]; self->s = "s"; a[1] = 0;
		printf("%d %d %d %d %s", a[0], a[1], a[-1], self->x, self->s); exit(0); }'
	is "$status:$out:$err" '0:1 0 3 2 s:' "vartable=$value"
done
run "$DTR" -x aggtable=65m -qn "$script"
is "$status:$err" "2:dtr: invalid value '65m' for option 'aggtable': must be from 0 to 64m" 'aggtable=65m'

# A record is never larger than its buffer, and one element always fits.
run "$DTR" -x bufsize=4k -x strsize=4096 -qn 'BEGIN { s = "word"; printf("%s %s %s\n", s, s, s); exit(0); }'
is "$status:$out:$err" '0:word word word:' 'a record of 12 KB with bufsize=4k'
run "$DTR" -x aggsize=4k -x strsize=4096 -qn 'BEGIN { s = "word"; @[s, s] = count(); exit(0); }'
is "$status:$(echo $out):$err" '0:word word 1:' 'a key of 8 KB with aggsize=4k'
run "$DTR" -x dynvarsize=4k -x strsize=4096 -qn 'BEGIN { s = "word"; a[s] = s; printf("%s\n", a[s]); exit(0); }'
is "$status:$out:$err" '0:word:' 'an element of 8 KB with dynvarsize=4k'

# The smallest size holds exactly what it should: 4,096 bytes are 36 elements of 24 bytes with the key
# and 88 more.
for n in 35 36 37 66; do
	run "$DTR" -x dynvarsize=4k -qn "BEGIN { $(awk -v n=$n 'BEGIN { while (i++ < n) printf "a[1, 1, %d] = 1; ",
		i }') exit(0); }"
	more=$((n > 36 ? n - 36 : 0))
	err=$(echo $err)
	[ $more != 0 ] || { is "$status:$err" '0:' "$n elements"; continue; }
	[ $more = 1 ] && s= || s=s
	is "$status:$err" "0:dtr: $more dynamic variable drop$s" "$n elements"
done

# The kernel's memory of a full array: its elements and its hash table (before Linux 6.4 without what the kernel adds).
for size in 64k 1000k; do
	run "$DTR" -w -x ledger=off -x dynvarsize=$size -qn 'tick-1ms { a[1, ++i] = 1; a[2, i] = 1; a[3, i] = 1;
		a[4, i] = 1; a[5, i] = 1; a[6, i] = 1; a[7, i] = 1; a[8, i] = 1; a[9, i] = 1; a[10, i] = 1;
		a[11, i] = 1; a[12, i] = 1; a[13, i] = 1; a[14, i] = 1; a[15, i] = 1; a[16, i] = 1; a[17, i] = 1;
		a[18, i] = 1; a[19, i] = 1; }
		tick-1ms /i >= 600/ { system("cat /proc/$PPID/fdinfo/*"); exit(0); }'
	used=$(printf '%s\n' "$out" | awk '/^map_type:/ { t = $2 } /^key_size:/ { k = $2 }
		/^memlock:/ && t == 1 && k == 16 { n += $2 } END { print n + 0 }')
	like "$err" 'dynamic variable drops' "dynvarsize=$size: the array is full"
	between "$used" 1000 $((${size%k} * 1024)) "dynvarsize=$size: the memory of the array ($used bytes)"
done
done_testing
