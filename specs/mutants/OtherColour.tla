---- MODULE OtherColour ----
(***************************************************************************)
(* Mutant: a message has the other colour than the action that sends it    *)
(* (E2).                                                                   *)
(* Overrides Sent of Colours.                                              *)
(***************************************************************************)
EXTENDS Colours

OtherColourSent(c, m, action) == [msg |-> m, colour |-> IF action = "red" THEN "white" ELSE "red"]
====
