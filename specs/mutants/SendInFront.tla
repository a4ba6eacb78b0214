---------------------------- MODULE SendInFront -----------------------------
(***************************************************************************)
(* Mutant: the function of a send puts the message at the front of its     *)
(* channel, ahead of what is in it, if it goes to a process of a lower     *)
(* number (E5, E8).                                                        *)
(* Overrides Do of Commuting.                                              *)
(***************************************************************************)
EXTENDS Commuting

SendInFrontDo(g, a) ==
  CASE a.kind = "Send"     -> [state |-> [g.state EXCEPT ![a.by] = AfterSend(a.by, a.at, @, a.msg)],
                               chan  |-> [g.chan EXCEPT ![a.at] = IF Target(a.at) < a.by THEN <<a.msg>> \o @
                                                                                         ELSE Append(@, a.msg)]]
    [] a.kind = "Accept"   -> [state |-> [g.state EXCEPT ![a.by] = AfterAccept(a.by, a.at, @, a.msg)],
                               chan  |-> [g.chan EXCEPT ![a.at] = Tail(@)]]
    [] a.kind = "Internal" -> [g EXCEPT !.state[a.by] = a.to]
==============================================================================
