#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The page of dtr diff -O html in a browser: a differential flame graph, widths of both sides, the table of functions. A
# folder in PICTURES keeps screenshots.
. "$SRC/tests/lib/tap.sh"

for browser in chromium-headless-shell chromium chromium-browser google-chrome; do
	command -v "$browser" >/dev/null && break
	browser=
done
[ -n "$browser" ] || { echo "1..0 # SKIP no Chromium"; exit 0; }

# Of 100 samples before, hot has 20 and cold 80; of 50 after, 35 and 10; fresh, which is called by hot, has 5.
cat >"$work/data" <<'END'
{"compare":{"before":{"recording":"a.rec","host":"one","duration":2000000000,"samples":100,"busy":100,"lost":3},
"after":{"recording":"b.rec","duration":1000000000,"samples":50,"busy":50,"lost":0},"changed":2,
"rows":[["work`hot",20,35,0.5,0.33,0.62,2.5e-07],["work`cold",80,10,-0.6,-0.7,-0.44,0],
["work`fresh",0,5,0.1,0.02,0.21,0.0123]]},
"aggs":[{"name":"@stacks","func":"count","counts":true,"unit":"samples","keys":["text","ustack","stack"],
"rows":[[["prog",[0,1],[]],35,20],[["prog",[0,2],[]],10,80],[["prog",[0,1],[3]],5,0]]}],
"frames":[["main","work"],["hot","work"],["cold","work"],["fresh","vmlinux"]]}
END
tr -d '\n' <"$work/data" >"$work/line"
awk -v data="$work/line" 'BEGIN { getline text <data }
	{ i = index($0, "@DATA@") } i { print substr($0, 1, i - 1) text substr($0, i + 6); next } { print }' \
	"$SRC/share/picture.html" >"$work/page.html"
drive() { # commands for the browser: leaves $status and $out
	printf '%s\n' \
		'eval (window.frame = t => [...document.querySelectorAll(".f")].find(e => e.textContent === t), 1)' \
		'eval (window.share = t => frame(t) ? Math.round(100 * frame(t).offsetWidth / '\
'document.querySelector(".graph").clientWidth) : "none", 1)' \
		'eval (window.colour = t => (c => c[0] > c[2] + 10 ? "red" : c[2] > c[0] + 10 ? "blue" : "grey")'\
'(getComputedStyle(frame(t)).backgroundColor.match(/[0-9]+/g).map(Number)), 1)' \
		'eval (window.column = n => [...document.querySelectorAll("tbody tr")].map(r => '\
'r.cells[n].textContent.replace(/\u2212/g, "-")).join("|"), 1)' \
		"$@" >"$work/commands"
	timeout -k 5 600 "$here/tests/picture/browser" "$browser" "file://$work/page.html" <"$work/commands" \
		>"$work/out" 2>"$work/err"
	status=$?
	out=$(sed 1,4d "$work/out")
	err=$(cat "$work/err")
}
line() { printf '%s\n' "$out" | sed -n "$1p"; }

drive 'eval document.title' \
	'eval column(0)' 'eval column(1) + " " + column(2)' 'eval column(3) + " " + column(4)' 'eval column(5)' \
	'eval document.querySelectorAll("tr.changed").length' \
	'eval share("work`hot") + " " + share("work`cold") + " " + share("vmlinux`fresh")' \
	'eval ["work`hot", "work`cold", "vmlinux`fresh", "work`main", "prog"].map(colour).join(" ")' \
	'move frame("work`cold")' \
	'eval document.querySelector(".detail").textContent.replace(/[\u2212\u2014]/g, "-")' \
	'eval [...document.querySelectorAll(".legend span")].filter(e => e.offsetWidth).map(e => '\
'e.dataset.kind).join(" ")' \
	"shot $work/compare.png"
is "$status:$err" 0: 'the page opens without errors and without network access'
is "$(line 1)" 'dtr: a.rec and b.rec' 'the title'
is "$(line 2)" 'work`hot|work`cold|work`fresh' 'the functions'
is "$(line 3)" '20.00 %|80.00 %|0.00 % 70.00 %|20.00 %|10.00 %' 'shares before and after'
is "$(line 4)" '+50.00|-60.00|+10.00 +33.00 .. +62.00|-70.00 .. -44.00|+2.00 .. +21.00' 'changes and intervals'
is "$(line 5)" '2.5e-7|< 1e-300|0.012' 'P values'
is "$(line 6)" 3 'significant functions are marked'
is "$(line 7)" '80 20 10' 'widths are shares after the change'
is "$(line 8)" 'red blue red grey grey' 'hotter frames are red, colder ones blue, others grey'
is "$(line 9)" 'work`cold - before 80.00 %, after 20.00 %, change -60.00' 'a frame is described'
is "$(line 10)" 'hotter colder' 'the legend'

drive 'click document.querySelector(".swap")' \
	'eval document.querySelector(".swap").textContent' \
	'eval share("work`hot") + " " + share("work`cold") + " " + share("vmlinux`fresh")' \
	'eval ["work`hot", "work`cold", "work`main"].map(colour).join(" ")' \
	'move frame("work`hot")' \
	'eval document.querySelector(".detail").textContent.replace(/[\u2212\u2014]/g, "-")' \
	'click frame("work`hot")' 'eval share("work`hot")' \
	'click document.querySelector(".swap")' \
	'eval document.querySelector(".swap").textContent + " " + share("work`hot") + " " + '\
'document.querySelector(".reset").disabled' \
	'click document.querySelector("input")' 'type cold' \
	'eval document.querySelector(".matched").textContent + " " + document.querySelectorAll(".hit").length' \
	'click document.querySelectorAll("th button")[3]' 'eval column(3)' \
	'click document.querySelectorAll("th button")[0]' 'eval column(0)'
is "$status:$err" 0: 'widths before the change'
is "$(line 1)" 'Widths: before' 'the button says so'
is "$(line 2)" '20 80 none' 'widths are shares before the change'
is "$(line 3)" 'red blue grey' 'the colours are the same'
is "$(line 4)" 'work`hot - before 20.00 %, after 80.00 %, change +60.00' 'a frame is described'
is "$(line 5)" 100 'a click zooms'
is "$(line 6)" 'Widths: after 80 true' 'and back'
is "$(line 7)" 'matched: 20.00 % (10 of 50) 1' 'a search'
is "$(line 8)|$(line 9)" '+50.00|+10.00|-60.00|work`cold|work`fresh|work`hot' 'sorted by a column'
[ -z "${PICTURES-}" ] || cp "$work"/*.png "$PICTURES/"
done_testing
