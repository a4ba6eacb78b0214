---- MODULE ConcludeEarly ----
(***************************************************************************)
(* Mutant: the collector concludes from the first report that arrives      *)
(* (E19).                                                                  *)
(* Overrides MayConclude of Collection.                                    *)
(***************************************************************************)
EXTENDS Collection

ConcludeEarlyMayConclude == DOMAIN collected # {}
====
