---- MODULE AcceptBeforeSend ----
(***************************************************************************)
(* Mutant: a message is accepted that its source could send, but has not   *)
(* sent (E5).                                                              *)
(* Overrides Offers of WhiteRed.                                           *)
(***************************************************************************)
EXTENDS WhiteRed

AcceptBeforeSendOffers(q, sendable) ==
  {<<q[i], Without(q, i)>> : i \in Positions(q)} \cup {<<e, q>> : e \in sendable}
====
