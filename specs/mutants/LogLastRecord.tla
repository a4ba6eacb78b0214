---------------------------- MODULE LogLastRecord ----------------------------
(***************************************************************************)
(* Mutant: of the records that a barrier overtakes only the last one is in *)
(* flight (A1, A5).                                                        *)
(* Overrides Logged of BarrierHandler.                                     *)
(***************************************************************************)
EXTENDS BarrierHandler

LogLastRecordLogged(pe, c, records) ==
  IF Logs(pe, c) /\ records # << >> THEN [pe EXCEPT !.log[c] = Append(@, records[Len(records)])] ELSE pe
====
