---- MODULE ColourOfReceiver ----
(***************************************************************************)
(* Mutant: a message has its receiver's colour (E2).                       *)
(* Overrides Tint of Application.                                          *)
(***************************************************************************)
EXTENDS Application

ColourOfReceiverTint(action, after, receiver) == receiver
====
