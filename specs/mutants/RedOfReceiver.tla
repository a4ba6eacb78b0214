---------------------------- MODULE RedOfReceiver ----------------------------
(***************************************************************************)
(* Mutant: a message is red for the ids for which its receiver is (E2).    *)
(* Overrides Sent of Snapshots.                                            *)
(***************************************************************************)
EXTENDS Snapshots

RedOfReceiverSent(c, m) == [msg |-> m, red |-> RedFor(Target(c))]
==============================================================================
