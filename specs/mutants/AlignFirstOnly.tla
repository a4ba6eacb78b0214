--------------------------- MODULE AlignFirstOnly ----------------------------
(***************************************************************************)
(* Mutant: inputs wait for the others in the first checkpoint alone (A1).  *)
(* Overrides Blocks of BarrierHandler.                                     *)
(***************************************************************************)
EXTENDS BarrierHandler

AlignFirstOnlyBlocks(pe, c) ==
  c \in pe.held /\ (Mode = "cyclic" => ~pe.taken) /\ pe.id = 1
====
