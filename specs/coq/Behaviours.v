(* Induction over behaviours, simulation, and what weak fairness does.  Nothing here knows a protocol. *)
From Coq Require Import Arith Lia Wf_nat Wellfounded Relation_Operators.

(* A behaviour: its first state satisfies Init, each two neighbours satisfy [Next]_vars.  What leaves the variables
   unchanged is `same'. *)
Definition behaviour {A : Type} (Init : A -> Prop) (Next same : A -> A -> Prop) (b : nat -> A) : Prop :=
  Init (b 0) /\ forall n, Next (b n) (b (S n)) \/ same (b n) (b (S n)).

Section Induction.
  Context {A : Type} (Init : A -> Prop) (Next same : A -> A -> Prop) (b : nat -> A).
  Hypothesis is_behaviour : behaviour Init Next same b.

  Theorem invariant_holds (Inv : A -> Prop) :
    (forall x, Init x -> Inv x) ->
    (forall x y, Inv x -> Next x y -> Inv y) ->
    (forall x y, Inv x -> same x y -> Inv y) ->
    forall n, Inv (b n).
  Proof.
    destruct is_behaviour as [begins steps]. intros first kept unchanged n.
    induction n as [|n IH]; [now apply first|]. destruct (steps n); eauto.
  Qed.

  Theorem step_property_holds (Inv : A -> Prop) (property : A -> A -> Prop) :
    (forall n, Inv (b n)) ->
    (forall x y, Inv x -> Next x y -> property x y) ->
    forall n, property (b n) (b (S n)) \/ same (b n) (b (S n)).
  Proof. destruct is_behaviour as [begins steps]. intros inv kept n. destruct (steps n); eauto. Qed.

  (* Seen through a mapping, each step is a step of another module, or nothing. *)
  Theorem refinement_holds {B : Type} (Init' : B -> Prop) (Next' same' : B -> B -> Prop) (seen : A -> B)
      (Inv : A -> Prop) :
    (forall n, Inv (b n)) ->
    (forall x, Init x -> Init' (seen x)) ->
    (forall x y, Inv x -> Next x y -> Next' (seen x) (seen y) \/ same' (seen x) (seen y)) ->
    (forall x y, same x y -> same' (seen x) (seen y)) ->
    behaviour Init' Next' same' (fun n => seen (b n)).
  Proof.
    destruct is_behaviour as [begins steps]. intros inv first kept unchanged.
    split; [auto|]. intro n. destruct (steps n); eauto.
  Qed.
End Induction.

(* A behaviour of one system, beside states of another whose invariant is known: `stands l x' says that x stands for l. *)
Section Simulation.
  Context {L X : Type} (Init : L -> Prop) (Next same : L -> L -> Prop).
  Variables (Init' : X -> Prop) (Next' : X -> X -> Prop) (Inv : X -> Prop) (stands : L -> X -> Prop).
  Hypothesis first : forall l, Init l -> exists x, Init' x /\ stands l x.
  Hypothesis step : forall l l' x, stands l x -> Inv x -> Next l l' -> exists y, Next' x y /\ stands l' y.
  Hypothesis unchanged : forall l l' x, stands l x -> same l l' -> stands l' x.
  Hypothesis begins : forall x, Init' x -> Inv x.
  Hypothesis kept : forall x y, Inv x -> Next' x y -> Inv y.

  Theorem simulation b : behaviour Init Next same b -> forall n, exists x, stands (b n) x /\ Inv x.
  Proof.
    intros [start steps] n. induction n as [|n [x [s i]]].
    - destruct (first _ start) as [x [i s]]. eauto.
    - destruct (steps n) as [taken|same'].
      + destruct (step _ _ _ s i taken) as [y [next s']]. eauto.
      + eauto.
  Qed.

  Theorem simulation_step b : behaviour Init Next same b ->
    forall n, exists x y, stands (b n) x /\ Inv x /\ stands (b (S n)) y /\ Inv y /\ (Next' x y \/ x = y).
  Proof.
    intros is_b n. destruct (simulation b is_b n) as [x [s i]]. destruct is_b as [_ steps].
    destruct (steps n) as [taken|same'].
    - destruct (step _ _ _ s i taken) as [y [next s']]. exists x, y. eauto 8.
    - exists x, x. eauto 8.
  Qed.
End Simulation.

(* The pair of numbers: the first counts, and the second where the first is equal. *)
Definition less (v w : nat * nat) : Prop := fst v < fst w \/ fst v = fst w /\ snd v < snd w.
Definition no_more (v w : nat * nat) : Prop := fst v < fst w \/ fst v = fst w /\ snd v <= snd w.

Lemma less_well_founded : well_founded less.
Proof.
  intros [a b]. revert b. induction a as [a IHa] using lt_wf_ind. intro b.
  induction b as [b IHb] using lt_wf_ind. constructor. intros [c d] [H|[H1 H2]]; simpl in *; subst; auto.
Qed.

(* WF_vars(act): it is not enabled for ever without being taken. *)
Definition weakly_fair {A : Type} (same act : A -> A -> Prop) (b : nat -> A) : Prop :=
  forall n, (forall j, n <= j -> exists y, act (b j) y /\ ~ same (b j) y) ->
    exists j, n <= j /\ act (b j) (b (S j)).

Section Fairness.
  Context {A Action : Type} (same : A -> A -> Prop) (act : Action -> A -> A -> Prop) (b : nat -> A).
  Variables (helpful : Action -> A -> Prop) (measure : A -> nat * nat) (complete : A -> Prop) (from : nat).
  Hypothesis classic : forall P : Prop, P \/ ~ P.
  Hypothesis fair : forall a, weakly_fair same (act a) b.
  Hypothesis never_more : forall n, no_more (measure (b (S n))) (measure (b n)).
  Hypothesis something_is_helpful : forall n, from <= n -> ~ complete (b n) -> exists a, helpful a (b n).
  Hypothesis enabled : forall n a, from <= n -> helpful a (b n) -> exists y, act a (b n) y /\ ~ same (b n) y.
  Hypothesis smaller : forall n a, helpful a (b n) -> act a (b n) (b (S n)) -> less (measure (b (S n))) (measure (b n)).
  Hypothesis stays_helpful :
    forall n a, helpful a (b n) -> helpful a (b (S n)) \/ less (measure (b (S n))) (measure (b n)).

  Lemma no_more_later n j : n <= j -> no_more (measure (b j)) (measure (b n)).
  Proof.
    induction 1 as [|j H IH]; [right; auto|]. specialize (never_more j). unfold no_more in *. lia.
  Qed.

  Theorem eventually_complete : forall n, exists j, n <= j /\ complete (b j).
  Proof.
    enough (E : forall v n, from <= n -> measure (b n) = v -> exists j, n <= j /\ complete (b j)).
    { intro n. destruct (E _ (from + n) (Nat.le_add_r _ _) eq_refl) as [j [H C]]. exists j. split; [lia|auto]. }
    intro v. induction v as [v IH] using (well_founded_induction less_well_founded). intros n late <-.
    destruct (classic (complete (b n))) as [C|C]; [eauto|].
    destruct (classic (exists j, n <= j /\ less (measure (b j)) (measure (b n)))) as [[j [H L]]|never].
    { destruct (IH _ L j) as [i [H' C']]; [lia|auto|]. exists i. split; [lia|auto]. }
    exfalso. destruct (something_is_helpful n late C) as [a h].
    assert (shrinks : forall j, n <= j -> ~ less (measure (b (S j))) (measure (b j))).
    { intros j H L. apply never. exists (S j). split; [lia|]. assert (N := no_more_later n j H).
      unfold less, no_more in *. lia. }
    assert (stays : forall j, n <= j -> helpful a (b j)).
    { induction 1 as [|j H IHj]; [auto|]. destruct (stays_helpful j a IHj); [auto|]. now destruct (shrinks j H). }
    destruct (fair a n) as [j [H taken]].
    { intros j H. apply enabled; [lia|auto]. }
    exact (shrinks j H (smaller j a (stays j H) taken)).
  Qed.
End Fairness.
