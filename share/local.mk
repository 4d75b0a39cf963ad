# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
dist_pkgdata_DATA = share/prelude.d share/net.d share/constants.d share/elsewhere.d share/picture.html

toolsdir = $(pkgdatadir)/tools
dist_tools_DATA = \
	share/tools/bashreadline.d \
	share/tools/bindsnoop.d \
	share/tools/biolatency.d \
	share/tools/biosnoop.d \
	share/tools/biostacks.d \
	share/tools/biotop.d \
	share/tools/cachestat.d \
	share/tools/capable.d \
	share/tools/cpudist.d \
	share/tools/cpuwalk.d \
	share/tools/cswstat.d \
	share/tools/errinfo.d \
	share/tools/exact.d \
	share/tools/execs.d \
	share/tools/execsnoop.d \
	share/tools/filelife.d \
	share/tools/fileslower.d \
	share/tools/filetop.d \
	share/tools/flame.d \
	share/tools/funccount.d \
	share/tools/funclatency.d \
	share/tools/gethostlatency.d \
	share/tools/gmon.d \
	share/tools/hardirqs.d \
	share/tools/hotkernel.d \
	share/tools/hotuser.d \
	share/tools/killsnoop.d \
	share/tools/kprof.d \
	share/tools/lockstat.d \
	share/tools/memleak.d \
	share/tools/mountsnoop.d \
	share/tools/offcpu.d \
	share/tools/offwaketime.d \
	share/tools/oomkill.d \
	share/tools/opensnoop.d \
	share/tools/pagefaults.d \
	share/tools/pidpersec.d \
	share/tools/plockstat.d \
	share/tools/prisample.d \
	share/tools/profil.d \
	share/tools/prog.d \
	share/tools/runqlat.d \
	share/tools/runqlen.d \
	share/tools/setuids.d \
	share/tools/sigsnoop.d \
	share/tools/softirqs.d \
	share/tools/solisten.d \
	share/tools/sslsnoop.d \
	share/tools/stackcount.d \
	share/tools/statsnoop.d \
	share/tools/syncsnoop.d \
	share/tools/syscount.d \
	share/tools/tcpaccept.d \
	share/tools/tcpconnect.d \
	share/tools/tcpdrop.d \
	share/tools/tcplife.d \
	share/tools/tcpretrans.d \
	share/tools/tcprtt.d \
	share/tools/tcpstates.d \
	share/tools/tcptop.d \
	share/tools/threadsnoop.d \
	share/tools/top.d \
	share/tools/trace.d \
	share/tools/vfscount.d \
	share/tools/vfsstat.d \
	share/tools/wakeuptime.d \
	share/tools/why.d

flametooldir = $(toolsdir)/flame
dist_flametool_DATA = \
	share/tools/flame/containers.d \
	share/tools/flame/off-cpu-containers.d \
	share/tools/flame/off-cpu.d \
	share/tools/flame/wall-containers.d \
	share/tools/flame/wall.d

gmontooldir = $(toolsdir)/gmon
dist_gmontool_DATA = \
	share/tools/gmon/calls.d \
	share/tools/gmon/kernel-calls.d \
	share/tools/gmon/kernel-stacks.d \
	share/tools/gmon/kernel.d \
	share/tools/gmon/past.d \
	share/tools/gmon/stacks.d

kproftooldir = $(toolsdir)/kprof
dist_kproftool_DATA = share/tools/kprof/lines.d share/tools/kprof/modules.d \
	share/tools/kprof/stack.d

progtooldir = $(toolsdir)/prog
dist_progtool_DATA = share/tools/prog/lines.d share/tools/prog/times.d share/tools/prog/vars.d

toptooldir = $(toolsdir)/top
dist_toptool_DATA = \
	share/tools/top/container-stacks.d \
	share/tools/top/containers.d \
	share/tools/top/exact.d \
	share/tools/top/stacks.d

include_HEADERS += share/exact_profiler.h

bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = share/completion/dtr
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = share/completion/_dtr
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = share/completion/dtr.fish
