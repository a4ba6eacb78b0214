---- MODULE WrongChannelsLogged ----
(***************************************************************************)
(* Mutant: what is recorded as in flight is from the inputs whose barrier  *)
(* has come (A5).                                                          *)
(* Overrides Logs of UnalignedBarriers.                                    *)
(***************************************************************************)
EXTENDS UnalignedBarriers

WrongChannelsLoggedLogs(c) == Target(c) \in Red /\ c \in arrived
====
