---- MODULE SequenceTheorems ----
(* The names of this library's theorems, for the proofs that use them. TLC evaluates no proof. *)
EXTENDS Sequences, Integers, WellFoundedInduction, Functions
THEOREM SeqDef == TRUE
THEOREM ElementOfSeq == TRUE
THEOREM EmptySeq == TRUE
THEOREM IsASeq == TRUE
THEOREM LenProperties == TRUE
THEOREM ExceptSeq == TRUE
THEOREM ConcatProperties == TRUE
THEOREM SubSeqProperties == TRUE
THEOREM HeadTailProperties == TRUE
THEOREM AppendProperties == TRUE
THEOREM ConcatEmptySeq == TRUE
THEOREM ConcatAssociative == TRUE
THEOREM ConcatSimplifications == TRUE
THEOREM SubSeqEmpty == TRUE
THEOREM HeadTailAppend == TRUE
THEOREM SequencesInductionAppend == TRUE
THEOREM SequencesInductionTail == TRUE
THEOREM SeqOfSubset == TRUE
THEOREM FrontProperties == TRUE
THEOREM LastProperties == TRUE
THEOREM ReverseProperties == TRUE
THEOREM RangeConcatenation == TRUE
THEOREM RangeEquality == TRUE
THEOREM SequenceEmptyOrAppend == TRUE
THEOREM SequencesInductiveDefAppend == TRUE
THEOREM SequencesTailInductiveDef == TRUE
THEOREM SeqEqual == TRUE
THEOREM SubSeqRecursiveFirst == TRUE
THEOREM SubSeqRecursiveSecond == TRUE
THEOREM SeqInvolvedTheorems == TRUE
THEOREM FrontLastAppend == TRUE
THEOREM RangeOfSeq == TRUE
==============================
