# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Compiles the chain in each language, after tap.sh. $sources: this folder. Variables of a combination: $compiler
# $linker $kind $symbols $way.

# No inlining, no tail calls, no functions that differ from their source.
flags='-w -O2 -fomit-frame-pointer -fno-inline -fno-optimize-sibling-calls'
gcc_flags="$flags -fno-ipa-cp -fno-ipa-sra -fno-ipa-icf -fno-partial-inlining"

# Sets $form, the options of gcc's driver for linking; $code, those for compiling; $debug; $library, yes or empty; and
# $output.
options() {
	library='' output=matrix
	[ "$way" != library ] || library=yes output=libmatrix.so
	case $symbols in plain) debug='' ;; dwarf5) debug='-g -gdwarf-5' ;; *) debug='-g -gdwarf-4' ;; esac
	case $kind in
	pie) code=-fPIE form=-pie ;;
	nopie) code=-fno-pie form=-no-pie ;;
	static) code=-fno-pie form='-static -no-pie' ;;
	static-pie) code=-fPIE form=-static-pie ;;
	musl) code='' form='' ;;
	esac
	form="$form -fuse-ld=$linker"
	host_form=$form host_compiler=gcc
	[ "$kind" != musl ] || host_compiler=musl-gcc
	[ -z "$library" ] || code='-fPIC -DCHAIN_LIBRARY' form="-shared -fuse-ld=$linker"
}

# shellcheck disable=SC2086 # options
with_driver() { # COMPILER FLAGS SOURCE...: compilers with the options of gcc
	driver=$1 driver_flags=$2
	shift 2
	$driver $driver_flags $debug $code $form -o $output "$@"
}

compile_gcc() { with_driver $host_compiler "$gcc_flags" "$sources/chain.c"; }
compile_clang() { with_driver clang "$flags" "$sources/chain.c"; }
compile_gxx() { with_driver g++ "$gcc_flags" "$sources/chain.cc"; }
compile_clangxx() { with_driver clang++ "$flags" "$sources/chain.cc"; }
compile_gdc() {
	case $way/$kind in
	library/*) set -- -fversion=Library ;;
	*/static*) set -- -static-libphobos ;;
	*) set -- ;;
	esac
	code=${code%-DCHAIN_LIBRARY} with_driver gdc "$gcc_flags" "$@" "$sources/chain.d"
}
compile_gfortran() {
	set -- "$sources/chain.f90"
	[ -n "$library" ] || set -- "$@" "$sources/main.f90"
	with_driver gfortran "$gcc_flags" "$@"
}
# shellcheck disable=SC2086
compile_gnatmake() {
	if [ -n "$library" ]; then
		gcc -c $gcc_flags $debug -fPIC "$sources/links.adb" && gcc $form -o $output links.o -lgnat
	else
		case $kind in static*) runtime=-static ;; *) runtime=-shared ;; esac
		gnatmake -q -aI"$sources" "$sources/chain.adb" -o $output -cargs $gcc_flags $debug $code \
			-bargs $runtime -largs $form
	fi
}
# shellcheck disable=SC2086
compile_rustc() {
	case $kind in nopie | static) model=static ;; *) model=pie ;; esac
	case $kind in static*) crt=+crt-static ;; *) crt=-crt-static ;; esac
	type=bin
	[ -z "$library" ] || type=cdylib model=pic
	set -- -A warnings -O ${debug:+-g} --crate-type $type -C relocation-model=$model -C target-feature=$crt \
		-C link-arg=-fuse-ld=$linker -o $output "$sources/chain.rs"
	# newer ones use LLD of their own unless told
	rustc -C linker-features=-lld "$@" 2>/dev/null || rustc "$@"
}
# shellcheck disable=SC2086
compile_go() {
	case $kind in *pie) mode=pie ;; *) mode=exe ;; esac
	[ "$kind" != nopie ] || mode=exe
	set -- "$sources/chain.go" "$sources/main.go"
	[ -z "$library" ] || { mode=c-shared; set -- "$sources/chain.go" "$sources/library.go"; }
	form=$(echo " $form" | sed 's/ -shared//; s/ -no-pie//; s/ -pie//; s/^ *//')
	GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache CGO_ENABLED=1 CC=$host_compiler go build -buildmode=$mode \
		-ldflags "-compressdwarf=false -linkmode external -extldflags '$form'" -o $output "$@"
}
# shellcheck disable=SC2086
compile_ocamlopt() {
	cp "$sources/chain.ml" "$sources/runtime.c" .
	if [ -n "$library" ]; then
		ocamlopt ${debug:+-g} -output-complete-obj -runtime-variant _pic -ccopt -fuse-ld=$linker -o $output \
			chain.ml runtime.c
	else
		ocamlopt ${debug:+-g} -ccopt "$form" -o $output chain.ml
	fi
}
# shellcheck disable=SC2046,SC2086
compile_ghc() {
	cp "$sources/chain.hs" .
	ghc -v0 -O1 ${debug:+-g} -o $output chain.hs $(printf ' -optl%s' $form)
}
# shellcheck disable=SC2086
compile_fpc() {
	cp "$sources/chain.pas" .
	set -- chain.pas
	[ "$kind" = static ] || set -- -dLIBC "$@"
	[ -z "$library" ] || set -- -dLIBRARY -Cg "$@"
	fpc -v0 -O2 -Xs- ${debug:+-gw4} -o$output "$@"
}
# shellcheck disable=SC2086
compile_nim() {
	cp "$sources/chain.nim" .
	set --
	[ -z "$library" ] || set -- --app:lib -d:library
	nim c --hints:off --warnings:off -d:release ${debug:+--lineDir:on} --nimcache:cache \
		--gcc.exe:$host_compiler --gcc.linkerexe:$host_compiler \
		--passC:"$gcc_flags $debug ${code%-DCHAIN_LIBRARY}" --passL:"$form" -o:$output "$@" chain.nim
}

# Makes $output what the symbols of the combination are to be, from a copy, $output.original.
finish() {
	cp $output $output.original
	case $symbols in
	stripped) strip $output ;;
	split)
		mkdir -p .debug
		objcopy --only-keep-debug $output .debug/$output.debug
		strip $output
		(cd .debug && objcopy --add-gnu-debuglink=$output.debug ../$output) ;;
	compressed) objcopy --compress-debug-sections=zlib $output ;;
	dwz) dwz $output ;;
	debugdata)
		strip -g -o packed $output
		objcopy --only-keep-debug packed
		xz -9 packed
		strip $output
		objcopy --add-section .gnu_debugdata=packed.xz $output ;;
	esac
}

# Compiles in the current folder. The host of a library is called like a program.
# shellcheck disable=SC2086
compile() {
	options
	compile_"$(echo "$compiler" | sed 's/+/x/g')" || return
	finish || return
	[ -n "$library" ] || return 0
	$host_compiler $host_form -o matrix "$sources/host.c" -ldl && cp matrix matrix.original
}
