---- MODULE ColourAfterSending ----
(***************************************************************************)
(* Mutant: a message has the colour that its sender has after the action   *)
(* (E2).  It shows in an action that sends and turns red (E17).            *)
(* Overrides Sent of Colours.                                              *)
(***************************************************************************)
EXTENDS Colours

ColourAfterSendingSent(c, m, action) ==
  [msg |-> m, colour |-> IF Source(c) \in DOMAIN recState' THEN "red" ELSE "white"]
====
