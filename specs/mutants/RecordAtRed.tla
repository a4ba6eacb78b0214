---- MODULE RecordAtRed ----
(***************************************************************************)
(* Mutant: a red machine records its state again as it accepts a red       *)
(* message (E1).                                                           *)
(* Overrides Take of WhiteRed.                                             *)
(***************************************************************************)
EXTENDS WhiteRed

RecordAtRedTake(c, offer) ==
  LET p == Target(c)
      e == offer[1]
  IN  /\ Acceptable(p, c, state[p], e.msg)
      /\ MayTake(Colour(p), e)
      /\ state'    = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
      /\ chan'     = [chan EXCEPT ![c] = offer[2]]
      /\ recChan'  = [recChan EXCEPT ![c] = @ \o Kept(Colour(p), e)]
      /\ recState' = IF p \in Red /\ e.colour = "red" THEN [recState EXCEPT ![p] = state'[p]] ELSE recState
      /\ UNCHANGED topo
====
