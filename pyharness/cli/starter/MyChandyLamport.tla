--------------------------- MODULE MyChandyLamport ---------------------------
(***************************************************************************)
(* Chandy and Lamport's algorithm, with a property of one's own and a      *)
(* seeded bug that only this property sees.                                *)
(*                                                                         *)
(* It differs from the shipped `ChandyLamport' in nothing that happens:    *)
(* replace what is here by what your own algorithm does otherwise.         *)
(***************************************************************************)
EXTENDS ChandyLamport

(* Nobody records before an initiator has.                                 *)
InitiatorFirst == Red # {} => Red \cap InitiatorsOf[topo] # {}

(* The seeded bug: everyone may begin.  The plan puts it in the place of   *)
(* MayInitiate, and expects that InitiatorFirst is violated.               *)
EveryoneInitiates(p) == TRUE

------------------------------------------------------------------------------

THEOREM Spec => []InitiatorFirst
==============================================================================
