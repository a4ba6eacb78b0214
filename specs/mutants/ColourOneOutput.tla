--------------------------- MODULE ColourOneOutput --------------------------
(***************************************************************************)
(* Mutant: only what a process sends on the first of its outputs has the   *)
(* colour of the action; what it sends on the others is white (E2).        *)
(* Overrides Sent of Colours.                                              *)
(***************************************************************************)
EXTENDS Colours

ColourOneOutputSent(c, m, action) ==
  [msg |-> m, colour |-> IF c = Least(OutputsOf[topo][Source(c)]) THEN action ELSE "white"]
==============================================================================
