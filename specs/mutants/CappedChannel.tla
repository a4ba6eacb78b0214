---- MODULE CappedChannel ----
(***************************************************************************)
(* Mutant: a channel of bounded capacity makes its sender wait.  Then the  *)
(* recorded channel state may hold more than any channel can, and SSS is   *)
(* not reachable in the bounded computation (E7); and an acceptance can    *)
(* enable a send (E8).                                                     *)
(* Overrides Room of Application.                                          *)
(***************************************************************************)
EXTENDS Application

CappedChannelRoom(q) == Len(q) < 1
====
