---------------------------- MODULE KeepWhenBusy ----------------------------
(***************************************************************************)
(* Mutant: the function of a send leaves its sender as it was if something *)
(* is in another channel; so it matters who sends first (E8).              *)
(* Overrides Do of Commuting.                                              *)
(***************************************************************************)
EXTENDS Commuting

KeepWhenBusyDo(g, a) ==
  CASE a.kind = "Send"     -> [state |-> IF \A c \in DOMAIN g.chan \ {a.at} : g.chan[c] = << >>
                                         THEN [g.state EXCEPT ![a.by] = AfterSend(a.by, a.at, @, a.msg)]
                                         ELSE g.state,
                               chan  |-> [g.chan EXCEPT ![a.at] = Append(@, a.msg)]]
    [] a.kind = "Accept"   -> [state |-> [g.state EXCEPT ![a.by] = AfterAccept(a.by, a.at, @, a.msg)],
                               chan  |-> [g.chan EXCEPT ![a.at] = Tail(@)]]
    [] a.kind = "Internal" -> [g EXCEPT !.state[a.by] = a.to]
==============================================================================
