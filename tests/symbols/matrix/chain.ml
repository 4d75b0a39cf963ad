(* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause *)
(* chain.c in OCaml. *)
let stopped = ref 0
let counted = ref 0

let[@inline never] chainleaf () =
  while !stopped = 0 do incr counted done

let[@inline never] rec chaininner times =
  if times > 1 then chaininner (times - 1) else chainleaf ();
  incr counted

let[@inline never] chainmiddle () = chaininner 3; incr counted
let[@inline never] chainouter () = chainmiddle (); incr counted
let () = chainouter (); incr counted
