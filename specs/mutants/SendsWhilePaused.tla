-------------------------- MODULE SendsWhilePaused --------------------------
(***************************************************************************)
(* Mutant: a paused process sends, so that the channels need never drain   *)
(* (E22).                                                                  *)
(* Overrides Send of StopTheWorld.                                         *)
(***************************************************************************)
EXTENDS StopTheWorld

SendsWhilePausedSend(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, Sent(c, m, Colour(p)))]
  /\ UNCHANGED <<topo, recState, recChan, paused, whiteInRed, redInWhite>>
=============================================================================
