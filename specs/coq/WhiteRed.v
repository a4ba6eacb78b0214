(* What holds of every behaviour of WhiteRed, on positions. *)
From Coq Require Import Arith.
From Snapshots Require Import Structures Obligations Behaviours.

Section Holds.
  Context {G : structure}.
  Hypothesis solved : WhiteRed_obligations G.
  Variable b : nat -> values G.
  Hypothesis is_behaviour : behaviour WhiteRed_Init WhiteRed_Next eq b.

  Ltac by_action N := destruct N as [(c & k & m & t & T)|[(c & k & t & T)|[(p & t & T)|
    [(p & t & takes & at_ & gives & new & body & T)|[(p & t & takes & at_ & gives & new & body & acts_red & T)|(turned & T)]]]]].

  Theorem WhiteRed_always n : WhiteRed_Inv (b n).
  Proof.
    revert n. apply (invariant_holds _ _ _ _ is_behaviour); destruct solved; unfold WhiteRed_Inv at 1.
    - intros x I. repeat match goal with |- _ /\ _ => split end; eauto.
    - intros x y I N. unfold WhiteRed_Inv. by_action N; repeat match goal with |- _ /\ _ => split end; eauto.
    - now intros x y I <-.
  Qed.

  (* What every step keeps, where something happens. *)
  Theorem WhiteRed_keeps n :
    (WhiteRed_TurnsRedOnce (b n) (b (S n)) /\ WhiteRed_StaysRed (b n) (b (S n)) /\
     WhiteRed_AppendsAtEnd (b n) (b (S n)) /\ WhiteRed_ElementsLast (b n) (b (S n))) \/ b n = b (S n).
  Proof.
    revert n. apply (step_property_holds _ _ _ _ is_behaviour WhiteRed_Inv
      (fun x y => WhiteRed_TurnsRedOnce x y /\ WhiteRed_StaysRed x y /\ WhiteRed_AppendsAtEnd x y /\ WhiteRed_ElementsLast x y));
      [exact WhiteRed_always|].
    intros x y I N. destruct solved. by_action N; repeat match goal with |- _ /\ _ => split end; eauto.
  Qed.
End Holds.
