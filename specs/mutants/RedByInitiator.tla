---------------------------- MODULE RedByInitiator ----------------------------
(***************************************************************************)
(* Mutant: a message tells for whose snapshots its sender is red, and      *)
(* leaves out their numbers (E2).                                          *)
(* Overrides Sent of Snapshots.                                            *)
(***************************************************************************)
EXTENDS Snapshots

RedByInitiatorSent(c, m) == [msg |-> m, red |-> {<<n[1], 0>> : n \in RedFor(Source(c))}]
==============================================================================
