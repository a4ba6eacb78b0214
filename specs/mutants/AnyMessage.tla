----------------------------- MODULE AnyMessage -----------------------------
(***************************************************************************)
(* Mutant: a message is accepted whatever its colour and its place in the  *)
(* buffer (E4, E5).                                                        *)
(* Overrides MayTake of WhiteRed and Positions of Application.             *)
(***************************************************************************)
EXTENDS WhiteRed

AnyMessageMayTake(action, e) == TRUE

AnyMessagePositions(q) == DOMAIN q
==============================================================================
