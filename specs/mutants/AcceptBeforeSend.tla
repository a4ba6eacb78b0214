---- MODULE AcceptBeforeSend ----
(***************************************************************************)
(* Mutant: a message is accepted that its source could send, but has not   *)
(* sent (E5).                                                              *)
(* Overrides Offers of WhiteRed.                                           *)
(***************************************************************************)
EXTENDS WhiteRed

AcceptBeforeSendOffers(c) ==
  LET p == Source(c)
  IN       {<<chan[c][i], Without(chan[c], i)>> : i \in Positions(chan[c])}
      \cup {<<Sent(c, m, Colour(p)), chan[c]>> : m \in Sendable(p, c, state[p])}
====
