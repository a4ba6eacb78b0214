---- MODULE AnnouncedArrives ----
(***************************************************************************)
(* Mutant: the announcement of a barrier counts as its arrival, and the    *)
(* records before it are in no state and in no log (A6).                   *)
(* Overrides AfterAnnouncement of BarrierHandler.                          *)
(***************************************************************************)
EXTENDS BarrierHandler

AnnouncedArrivesAfterAnnouncement(inputs, t, c, b) ==
  Counted(inputs, RegularOf(inputs), t, c, b, << >>)
====
