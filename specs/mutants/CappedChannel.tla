---- MODULE CappedChannel ----
(***************************************************************************)
(* Mutant: a channel of bounded capacity makes its sender wait.  Then the  *)
(* recorded channel state may hold more than any channel can, and SSS is   *)
(* not reachable in the bounded computation (E7).                          *)
(* Overrides Room of Application, in the computation too.                  *)
(***************************************************************************)
EXTENDS WhiteRed

CappedChannelRoom(q) == Len(q) < 1
====
