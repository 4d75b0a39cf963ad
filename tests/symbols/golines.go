// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Prints what Go's run-time system knows of all addresses of some functions: ADDRESS FUNCTION FILE:LINE, the innermost
// function; then the stack of a function that inlined functions have called, innermost first: FUNCTION FILE:LINE.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sort"
	"strings"
)

//go:noinline
func leaf(n int) string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	text := ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		text += fmt.Sprintf("%s %s:%d\n", f.Function, filepath.Base(f.File), f.Line)
	}
	return text
}

func inner(n int) string {
	return leaf(n * 3)
}

func middle(n int) string {
	n += len(os.Args)
	return inner(n)
}

//go:noinline
func outer(n int) string {
	return "" +
		middle(n)
}

type pair[T any] struct{ a, b T }

func (p pair[T]) swap() pair[T] { return pair[T]{p.b, p.a} }

//go:noinline
func swapped[T any](p pair[T]) pair[T] { return p.swap().swap() }

func main() {
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	functions := []any{outer, middle, swapped[int], swapped[string], main, fmt.Fprintln, fmt.Sprintf, json.Marshal,
		sort.Strings, strings.Split, strings.NewReplacer, os.ReadFile, os.Open, bufio.NewReader, runtime.GC,
		json.Unmarshal, (*json.Decoder).Decode, (*bufio.Writer).Write, reflect.DeepEqual}
	for _, f := range functions {
		pc := reflect.ValueOf(f).Pointer()
		entry := runtime.FuncForPC(pc).Entry()
		for ; runtime.FuncForPC(pc+1) != nil && runtime.FuncForPC(pc+1).Entry() == entry; pc++ {
			f, _ := runtime.CallersFrames([]uintptr{pc + 1}).Next()
			fmt.Fprintf(w, "%#x %s %s:%d\n", pc, f.Function, filepath.Base(f.File), f.Line)
		}
	}
	fmt.Fprint(w, outer(2))
}
