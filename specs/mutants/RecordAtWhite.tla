---- MODULE RecordAtWhite ----
(***************************************************************************)
(* Mutant: a red machine records its state again as it accepts a white     *)
(* message, which is then in its state and in its channel's (E1, E6).      *)
(* Overrides Take of WhiteRed.                                             *)
(***************************************************************************)
EXTENDS WhiteRed

RecordAtWhiteTake(c, offer) ==
  LET p == Target(c)
      e == offer[1]
  IN  /\ Acceptable(p, c, state[p], e.msg)
      /\ MayTake(Colour(p), e)
      /\ state'    = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
      /\ chan'     = [chan EXCEPT ![c] = offer[2]]
      /\ recChan'  = [recChan EXCEPT ![c] = @ \o Kept(Colour(p), e)]
      /\ recState' = IF p \in Red /\ e.colour = "white" THEN [recState EXCEPT ![p] = state'[p]] ELSE recState
      /\ UNCHANGED topo
====
