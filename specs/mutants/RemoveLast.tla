----------------------------- MODULE RemoveLast -----------------------------
(***************************************************************************)
(* Mutant: whichever message is accepted, it is the last one that is taken *)
(* out of the buffer (E5).                                                 *)
(* Overrides Offers of WhiteRed and Exchanged of Application.              *)
(***************************************************************************)
EXTENDS WhiteRed

RemoveLastOffers(c) == {<<chan[c][i], SubSeq(chan[c], 1, Len(chan[c]) - 1)>> : i \in Positions(chan[c])}

RemoveLastExchanged(ch, A, sent) ==
  [c \in DOMAIN ch |-> (IF c \in A THEN SubSeq(ch[c], 1, Len(ch[c]) - 1) ELSE ch[c])
                       \o (IF c \in DOMAIN sent THEN sent[c] ELSE << >>)]
==============================================================================
