---- MODULE TwoPerOutput ----
(***************************************************************************)
(* Mutant: an action sends two messages on an output, with the marker      *)
(* between them (E17).                                                     *)
(* Overrides AfterSends of Application and Emission of ChandyLamport.      *)
(***************************************************************************)
EXTENDS ChandyLamport

TwoPerOutputEmission(c, turns, action, body) ==
  IF ~turns THEN body
  ELSE IF Len(body) = 2 THEN <<body[1], Marker, body[2]>>
  ELSE IF action = "red" THEN <<Marker>> \o body ELSE body \o <<Marker>>

RECURSIVE TwoPerOutputAfterSends(_, _, _)
TwoPerOutputAfterSends(p, s, B) ==
  IF B = {} THEN {<<s, << >> >>}
  ELSE LET c == Least(B)
           Twice(t) == UNION { {<<AfterSend(p, c, AfterSend(p, c, t, m), k), <<m, k>> >> :
                                k \in Sendable(p, c, AfterSend(p, c, t, m))} : m \in Sendable(p, c, t) }
           Once(t)  == {<<AfterSend(p, c, t, m), <<m>> >> : m \in Sendable(p, c, t)}
       IN  UNION { { <<r[1], r[2] @@ (c :> o[2])>> : r \in TwoPerOutputAfterSends(p, o[1], B \ {c}) }
                   : o \in Once(s) \cup Twice(s) }
====
