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

# The smallest size holds exactly what it should: 4,096 bytes are 170 elements of 24 bytes with the key.
for n in 169 170 171 200; do
	run "$DTR" -x dynvarsize=4k -qn "BEGIN { $(awk -v n=$n 'BEGIN { while (i++ < n) printf "a[1, 1, %d] = 1; ",
		i }') exit(0); }"
	more=$((n > 170 ? n - 170 : 0))
	err=$(echo $err)
	[ $more != 0 ] || { is "$status:$err" '0:' "$n elements"; continue; }
	[ $more = 1 ] && s= || s=s
	is "$status:$err" "0:dtr: $more dynamic variable drop$s" "$n elements"
done
done_testing
