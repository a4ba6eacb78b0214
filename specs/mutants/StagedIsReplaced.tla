-------------------------- MODULE StagedIsReplaced ---------------------------
(***************************************************************************)
(* Mutant: what comes to a sink after a barrier that overtook it, the sink *)
(* stages for that barrier's checkpoint, in place of what it has staged    *)
(* for it already (A3).                                                    *)
(* Overrides StagedWith of Checkpoints.                                    *)
(***************************************************************************)
EXTENDS Checkpoints

StagedIsReplacedStagedWith(q, n) ==
  LET overtaken(m) == \E c \in InputsOf[topo][q] : uploads[q][m].log[c] # << >>
      late         == Highest({m \in DOMAIN staged[q] \cap DOMAIN uploads[q] : overtaken(m)})
  IN  IF late = 0 THEN staged[q] @@ (n :> open[q])
                  ELSE [staged[q] EXCEPT ![late] = open[q]] @@ (n :> Nothing(topo))
====
