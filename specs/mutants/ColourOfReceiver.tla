---- MODULE ColourOfReceiver ----
(***************************************************************************)
(* Mutant: a message has its receiver's colour (E2).                       *)
(* Overrides Sent of Colours.                                              *)
(***************************************************************************)
EXTENDS Colours

ColourOfReceiverSent(c, m, action) == [msg |-> m, colour |-> Colour(Target(c))]
====
