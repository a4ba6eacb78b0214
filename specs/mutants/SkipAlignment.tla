---- MODULE SkipAlignment ----
(***************************************************************************)
(* Mutant: no input waits for the others: what at-least-once does on       *)
(* purpose (A1).                                                           *)
(* Overrides Blocks of BarrierHandler.                                     *)
(***************************************************************************)
EXTENDS BarrierHandler

SkipAlignmentBlocks(pe, c) == FALSE
====
