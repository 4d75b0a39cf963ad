# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# chain.c in Nim.
var
  stopped {.volatile.}: uint32
  counted {.volatile.}: uint32

proc chainleaf() {.noinline.} =
  while stopped == 0:
    counted += 1

proc chaininner(times: int) {.noinline.} =
  if times > 1: chaininner(times - 1) else: chainleaf()
  counted += 1

proc chainmiddle() {.noinline.} =
  chaininner(3)
  counted += 1

proc chainouter() {.noinline.} =
  chainmiddle()
  counted += 1

when defined(library):
  proc chain_start() {.exportc, dynlib, cdecl.} =
    chainouter()
    counted += 1
else:
  chainouter()
  counted += 1
