# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completion: the candidates of `dtr --complete`, and the shells that ask for them.
. "$SRC/tests/lib/tap.sh"
tab=$(printf '\t')

candidates() { # WORD...: sets $out to the candidates without their descriptions
	run "$DTR" --complete "$@"
	out=$(printf '%s\n' "$out" | sed "s/\(.\)$tab.*/\1/")
}
is_candidates() { # WANTED NAME WORD...: as they are, one per line, with newlines as blanks
	wanted=$1 name=$2
	shift 2
	candidates "$@"
	# shellcheck disable=SC2086
	is "$(echo $out)" "$wanted" "$name"
}

is_candidates opensnoop 'a tool' opensn
is_candidates 'record report' 'commands' re
is_candidates --json "an option of a tool" exact --j
is_candidates 'pid tid execname cpu' 'the words that an option of a tool takes' exact -k ''
is_candidates 'aggsortkey aggsortkeypos=' 'options of -x' -x aggsortk
is_candidates 'engine=auto engine=bpf engine=user' 'the words that an option takes' -x engine=
is_candidates -xengine= 'an option of -x without a blank' -xengi
is_candidates 'html' 'an output format' -O ht
is_candidates 'html' 'after other letters' -qO ht
is_candidates -Ohtml 'without a blank' -Oht
is_candidates 'P T I O B' 'stages' -d ''
is_candidates expressions 'a topic of help' help expr
is_candidates files 'files' -s ''
is_candidates files 'files of a command' merge ''
is_candidates commands 'commands' -c gz
is_candidates files 'after --' -- ''
is_candidates '' 'nothing is known: text of a script' -n 'BEGIN { tra'
is_candidates '' 'nothing is known: an unknown provider' -n 'nosuch::re'

candidates ''
tools=$("$DTR" -l --tools | awk '{ print $1 }')
missing=
for tool in $tools record report merge diff help; do
	printf '%s\n' "$out" | grep -qx "$tool" || missing="$missing $tool"
done
is "$missing" '' 'without a word: every tool and command'
candidates -
missing=
for o in $("$DTR" --help | sed -n '1,/^$/s/[][|]/ /gp' | tr ' \t' '\n\n' | sed -n 's/^-\([A-Za-z]*\)$/\1/p' |
	sed 's/./& /g'); do
	printf '%s\n' "$out" | grep -qx -- "-$o" || missing="$missing -$o"
done
is "$missing" '' 'every option of the usage line'
candidates -x ''
missing=
for o in $("$DTR" --help | sed -n '/^Options for -x/,$ s/^  \([a-z]*\) .*/\1/p'); do
	printf '%s\n' "$out" | grep -qx "$o=\{0,1\}" || missing="$missing $o"
done
is "$missing" '' 'every option of -x'

# Probes.
is_candidates 'syscall: syscall::' 'a provider' -n sysc
candidates -n ''
missing=
for p in $("$here/tests/checks/list" | sed -n 's/^provider //p' | grep -vx usdt); do
	printf '%s\n' "$out" | grep -Eqx "$p:?" || missing="$missing $p"
done
is "$missing" '' 'every provider'
is_candidates 'syscall::readlinkat:entry syscall::readlinkat:return' 'the only function: its probes' \
	-n syscall::readlinka
is_candidates 'syscall::readlinkat:entry' 'a name' -n syscall::readlinkat:e
candidates -n syscall::read
is "$out" "$("$DTR" -l -n 'syscall::read*:' | awk 'NR > 1 { print "syscall::" $4 ":" }' | uniq)" \
	'functions: those that -l lists'
candidates -n sched:::
is "$out" "$("$DTR" -l -P sched | awk 'NR > 1 { print "sched:::" $NF }')" 'names: those that -l lists'
is_candidates 'fbt:vmlinux:' 'a module of fbt' -n fbt:vml
is_candidates '' 'all functions of the kernel are too many' -n fbt::
is_candidates 'syscall::open*:' 'a pattern stays' -n 'syscall::open*'
is_candidates '' 'a pattern that matches nothing' -n 'syscall::nosuch*'
is_candidates 'syscall::open*:entry syscall::open*:return' 'names of the probes that match' -n 'syscall::open*:'
is_candidates 'syscall::*at:return' 'the rest of a name' -n 'syscall::*at:r'
is_candidates 'fbt::tcp_*:entry fbt::tcp_*:return' 'a pattern of functions of the kernel' -n 'fbt::tcp_*:'
is_candidates 'fbt:vmlinux:tcp_?:return' 'the rest of a name' -n 'fbt:vmlinux:tcp_?:r'
is_candidates '' 'a pattern of providers' -n 's*:'
is_candidates 'page_faults,cpu_migrations page_faults,cpu_clock' 'events of stat' stat -e page_faults,cpu_
candidates record -p ''
like "$out" "^$$\$" 'processes'

# The shells. The command line runs a program that writes down its arguments.
mkdir "$work/bin" "$work/files"
cat >"$work/bin/dtr" <<END
#!/bin/sh
case \$1 in --complete) exec "$DTR" "\$@" ;; esac
printf '[%s]\n' "\$*" >>"$work/got"
END
chmod +x "$work/bin/dtr"
: >"$work/files/afile.d"
printf '%s\n' 'dtr -O spe@' 'dtr -n syscall::readlinka@e@' 'dtr -n sysc@:readlinka@e@' \
	"dtr -n 'syscall::readlinka@en@" \
	'dtr -x aggsortkeyp@3' ' dtr opensn@' 'dtr -s afi@' 'dtr -x engine=us@' 'dtr -xengi@us@' 'dtr exact --js@' \
	'dtr -c ls -Ospe@' 'dtr help expr@' 'exit' | tr @ '\t' >"$work/keys"
want='[-O speedscope]
[-n syscall::readlinkat:entry]
[-n syscall::readlinkat:entry]
[-n syscall::readlinkat:entry]
[-x aggsortkeypos=3]
[opensnoop]
[-s afile.d]
[-x engine=user]
[-xengine=user]
[exact --json]
[-c ls -Ospeedscope]
[help expressions]'

types() { # SHELL COMMAND: types the keys at a shell on a terminal of its own
	if ! command -v "$1" >/dev/null || ! command -v script >/dev/null; then
		skip "$1 completes the command line" "$1 or script is not installed"
		return
	fi
	rm -f "$work/got"
	(cd "$work/files" && TERM=xterm PATH="$work/bin:$PATH" timeout 300 script -qec "$2" /dev/null <"$work/keys" \
		>"$work/screen" 2>&1)
	is "$(cat "$work/got" 2>/dev/null)" "$want" "$1 completes the command line"
}
cat >"$work/bashrc" <<END
PS1='$ '
. "$SRC/share/completion/dtr"
END
types bash "bash --noprofile --rcfile $work/bashrc -i"
mkdir "$work/zsh"
cat >"$work/zsh/.zshrc" <<END
PS1='$ '
fpath=("$SRC/share/completion" \$fpath)
autoload -Uz compinit
compinit -D -u
END
types zsh "env ZDOTDIR=$work/zsh zsh -d -i"

if command -v fish >/dev/null; then
	cat >"$work/fish" <<END
source "$SRC/share/completion/dtr.fish"
set -x PATH "$work/bin" \$PATH
for line in "dtr -O spe" "dtr -n syscall::readlinka" "dtr -n 'sched:::on" "dtr opensn" "dtr -s afi" "dtr -c gunzi"
    complete -C \$line
end
END
	out=$(cd "$work/files" && HOME=$work fish --no-config "$work/fish" 2>&1 | sed "s/$tab.*//")
	is "$out" 'speedscope
syscall::readlinkat:entry
syscall::readlinkat:return
sched:::on-cpu
opensnoop
afile.d
gunzip' 'fish completes the command line'
else
	skip 'fish completes the command line' 'fish is not installed'
fi
done_testing
