(* Nothing is assumed but what the theorems name. *)
From Snapshots Require Import Behaviours Sequences WhiteRed ChandyLamport ChandyLamportHolds ChandyLamportEnds.

Print Assumptions invariant_holds.
Print Assumptions step_property_holds.
Print Assumptions refinement_holds.
Print Assumptions simulation.
Print Assumptions simulation_step.
Print Assumptions eventually_complete.
Print Assumptions reads_append.
Print Assumptions reads_cons.
Print Assumptions reads_select.
Print Assumptions reads_unique.
Print Assumptions WhiteRed_always.
Print Assumptions WhiteRed_keeps.
Print Assumptions next_simulated.
Print Assumptions always.
Print Assumptions TurnsRedOnce.
Print Assumptions ColourDiscipline.
Print Assumptions NoRedInWhite.
Print Assumptions RecordedSoFar.
Print Assumptions RecordedIsSSS.
Print Assumptions OneMarker.
Print Assumptions MarkerSeparates.
Print Assumptions LocallyFinal.
Print Assumptions EventuallyComplete.
