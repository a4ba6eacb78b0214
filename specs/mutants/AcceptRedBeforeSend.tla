---- MODULE AcceptRedBeforeSend ----
(***************************************************************************)
(* Mutant: a red message is accepted that its source could send, but has   *)
(* not sent (E5).                                                          *)
(* Overrides Offers of WhiteRed.                                           *)
(***************************************************************************)
EXTENDS WhiteRed

AcceptRedBeforeSendOffers(c) ==
  LET p == Source(c)
  IN       {<<chan[c][i], Without(chan[c], i)>> : i \in Positions(chan[c])}
      \cup {<<Sent(c, m, "red"), chan[c]>> : m \in IF p \in Red THEN Sendable(p, c, state[p]) ELSE {}}
====
