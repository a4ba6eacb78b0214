---- MODULE ColourAfterSending ----
(***************************************************************************)
(* Mutant: a message has the colour that its sender has after the action   *)
(* (E2).  It shows in an action that sends and turns red (E17).            *)
(* Overrides Tint of Application.                                          *)
(***************************************************************************)
EXTENDS Application

ColourAfterSendingTint(action, after, receiver) == after
====
