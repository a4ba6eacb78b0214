(* What holds of every behaviour of ChandyLamport on sequences, given what the solvers prove of positions. *)
From Coq Require Import List Arith Lia Bool.
From Snapshots Require Import Structures Obligations Behaviours Sequences ChandyLamport.
Import ListNotations.

Section Holds.
  Context {Proc Chan St Msg : Type}.
  Variables (Source Target : Chan -> Proc) (Initiator : Proc -> Prop).
  Variables (Sending Accepting : Proc -> Chan -> St -> Msg -> St -> Prop) (Changing : Proc -> St -> St -> Prop).
  Variable Exchanging : Proc -> St -> (Chan -> option Msg) -> (Chan -> option Msg) -> St -> Prop.
  Hypothesis ExchangingNothing : forall p s a b t, Exchanging p s a b t ->
    (forall c, a c = None) -> (forall c, b c = None) -> t = s.
  Hypothesis decide : forall P : Prop, {P} + {~ P}.
  (* The solvers take it that there is one of everything. *)
  Variable a_message : Msg.

  Local Notation G := (@G Proc Chan St Msg Source Target Initiator).
  Hypothesis solved : ChandyLamport_obligations G.

  Local Notation stands := (@stands Proc Chan St Msg Source Target Initiator).
  Local Notation element_at := (@element_at Proc Chan St Msg Source Target Initiator).
  Local Notation message_at := (@message_at Proc Chan St Msg Source Target Initiator).
  Local Notation Next := (@Next Proc Chan St Msg Source Target Initiator Sending Accepting Changing Exchanging).
  Local Notation lists := (@lists Proc Chan St Msg).
  Local Notation element := (@element Msg).

  Lemma init_stands l : Init l -> exists x, ChandyLamport_Init x /\ stands l x.
  Proof.
    intros [empty white].
    exists (Build_values G (l_state l) (fun _ _ => False) (fun _ _ => False) (fun _ _ => a_message) (fun _ _ => False) (fun _ _ => False)
      (fun _ => False) (l_state l) (fun _ _ => False) (fun _ => False) (fun _ _ => False) (fun _ _ => False)).
    split; [now unfold ChandyLamport_Init|]. split; [easy|]. unfold Colour. split; [intro p; simpl; now rewrite white|].
    split; [intros p s; now rewrite white|]. split; [now exists (fun _ => 0)|].
    intro c. unfold in_channel. destruct (empty c) as (-> & -> & -> & -> & -> & ->).
    split; [easy|]. repeat split; apply reads_nothing; try easy. now intros k [K _].
  Qed.

  Lemma inv_init (x : values G) : ChandyLamport_Init x -> ChandyLamport_Inv x.
  Proof. intro I. destruct solved. unfold ChandyLamport_Inv. repeat match goal with |- _ /\ _ => split end; eauto. Qed.

  (* What the obligations say of each action is so of each step. *)
  Ltac by_action N := destruct N as [(c & k & m & t & mark & T)|[(c & k & t & mark & T)|[(p & t & mark & T)|
    [(p & t & takes & at_ & gives & new & body & mark & acts_red & T)|[(p & mark & T)|(c & k & mark & T)]]]]].

  Lemma inv_next (x y : values G) : ChandyLamport_Inv x -> ChandyLamport_Next x y -> ChandyLamport_Inv y.
  Proof.
    intros I N. destruct solved. unfold ChandyLamport_Inv. by_action N; repeat match goal with |- _ /\ _ => split end; eauto.
  Qed.

  Lemma turns_red_once (x y : values G) : ChandyLamport_Inv x -> ChandyLamport_Next x y \/ x = y -> ChandyLamport_TurnsRedOnce x y.
  Proof. intros I [N|<-]; [|easy]. destruct solved. by_action N; eauto. Qed.

  Section OfBehaviours.
    Variable b : nat -> lists.
    Hypothesis is_behaviour : behaviour Init Next same b.

    Lemma always n : exists x, stands (b n) x /\ ChandyLamport_Inv x.
    Proof.
      revert n. apply (simulation Init Next same ChandyLamport_Init ChandyLamport_Next ChandyLamport_Inv stands);
        eauto using init_stands, inv_init, inv_next, same_stands, next_simulated.
    Qed.

    Lemma always_steps n : exists x y, stands (b n) x /\ ChandyLamport_Inv x /\ stands (b (S n)) y /\ ChandyLamport_Inv y /\
      (ChandyLamport_Next x y \/ x = y).
    Proof.
      revert n. apply (simulation_step Init Next same ChandyLamport_Init ChandyLamport_Next ChandyLamport_Inv stands);
        eauto using init_stands, inv_init, inv_next, same_stands, next_simulated.
    Qed.

    (* E1 *)
    Theorem TurnsRedOnce n p s : l_recState (b n) p = Some s -> l_recState (b (S n)) p = Some s.
    Proof.
      intro H. destruct (always_steps n) as (x & y & (_ & C & R & _) & I & (_ & C' & R' & _) & _ & N).
      destruct (turns_red_once x y I N p) as [red' same']; [apply C; unfold Colour; now rewrite H|]. apply C' in red'. unfold Colour in red'.
      destruct (l_recState (b (S n)) p) as [s'|] eqn:H'; [|discriminate].
      rewrite (R p s H), (R' p s' H') in same'. congruence.
    Qed.

    (* E4 *)
    Theorem NoRedInWhite n c : l_redInWhite (b n) c = [].
    Proof.
      destruct (always n) as (x & (_ & _ & _ & _ & C) & I). destruct (C c) as (_ & _ & _ & _ & R & _).
      destruct (l_redInWhite (b n) c); [auto|]. apply reads_cons in R as [k [K _]]; [|apply Nat.lt_irrefl].
      destruct I as (_ & _ & _ & no & _). now destruct (no c k).
    Qed.

    (* E6 *)
    Theorem RecordedSoFar n c : l_recChan (b n) c = l_whiteInRed (b n) c.
    Proof.
      destruct (always n) as (x & (_ & _ & _ & _ & C) & I). destruct (C c) as (_ & _ & R & W & _).
      destruct I as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & S).
      apply (reads_unique gt Nat.lt_irrefl (fun i j k a b => Nat.lt_trans k j i b a) (whiteInRed x c) (message_at x c)); auto.
      - unfold message_at. congruence.
      - apply reads_same with (3 := R); [intro k; apply S|auto].
    Qed.

    (* E2 *)
    Theorem ColourDiscipline n c m : Colour (b n) (Source c) = false -> ~ In (message m true) (l_chan (b n) c).
    Proof.
      intros W M. destruct (always n) as (x & (_ & S & _ & _ & C) & I). destruct (C c) as (_ & R & _).
      destruct (reads_in gt _ _ _ _ R M) as (k & K & N & _ & E). destruct I as (_ & _ & D & _).
      apply (D c k); [simpl; rewrite S, W; discriminate|]. tauto.
    Qed.

    (* E11 *)
    Theorem OneMarker n c : l_markers (b n) c = if Colour (b n) (Source c) then 1 else 0.
    Proof.
      destruct (always n) as (x & (_ & S & _ & _ & C) & I). destruct (C c) as (_ & _ & _ & _ & _ & R).
      apply (reads_finite gt Nat.lt_irrefl) in R as (ks & D & K & L). rewrite repeat_length in L.
      destruct I as (_ & _ & _ & _ & _ & _ & (white & one & most) & _). specialize (S (Source c)).
      destruct (Colour (b n) (Source c)).
      - destruct (one c) as [k M]; [now apply S|]. apply K in M. rewrite <- L. destruct ks as [|i [|j ks]]; [easy|easy|].
        apply NoDup_cons_iff in D as [D _]. destruct D. left. symmetry. destruct (proj1 (K i)), (proj1 (K j)); simpl; auto. apply (most c i j). auto.
      - destruct ks as [|k ks]; [auto|]. destruct (proj1 (K k) (in_eq _ _)) as [A B].
        assert (F : false = true) by (apply S, (white c k); auto). discriminate.
    Qed.

    (* E12 *)
    Theorem MarkerSeparates n c q1 e q2 e' q3 : l_chan (b n) c = q1 ++ e :: q2 ++ e' :: q3 ->
      (e = marker -> forall m, e' <> message m false) /\ (e' = marker -> forall m, e <> message m true).
    Proof.
      intro Q. destruct (always n) as (x & (_ & _ & _ & _ & C) & I). destruct (C c) as (_ & R & _). rewrite Q in R.
      destruct (reads_before gt _ _ _ _ _ _ _ R) as (j & k & J & K & E & E' & A).
      destruct I as (_ & _ & _ & _ & _ & _ & _ & _ & _ & (ahead & behind) & _).
      split; intros -> m ->; simpl in E, E'.
      - destruct E' as (N & _ & W). assert (j > k); [|lia]. apply (ahead c j k). intuition discriminate.
      - destruct E as (N & _ & W). assert (j > k); [|lia]. apply (behind c k j). intuition.
    Qed.

    Definition LocallyComplete (l : lists) p := Colour l p = true /\ forall c, Target c = p -> l_closed l c = true.
    Definition Complete (l : lists) := forall p, LocallyComplete l p.

    (* E15 *)
    Theorem LocallyFinal n c : LocallyComplete (b n) (Target c) ->
      l_recChan (b n) c = l_whiteInRed (b n) c /\ (forall m, ~ In (message m false) (l_chan (b n) c)) /\
      Colour (b n) (Source c) = true.
    Proof.
      intros [red' closed']. split; [apply RecordedSoFar|]. destruct (always n) as (x & (_ & S & _ & _ & C) & I).
      destruct (C c) as (D & R & _). specialize (closed' c eq_refl). apply D in closed'. split.
      - intros m M. destruct (reads_in gt _ _ _ _ R M) as (k & K & N & _ & W).
        destruct I as (_ & _ & _ & _ & _ & _ & _ & _ & (_ & final) & _). apply (final c k closed'). intuition discriminate.
      - apply S. destruct I as (_ & _ & _ & _ & _ & _ & _ & (F & _) & _). now apply (F c).
    Qed.

    (* E6 *)
    Theorem RecordedIsSSS n : Complete (b n) -> forall c, l_recChan (b n) c = l_whiteInRed (b n) c.
    Proof. intros _ c. apply RecordedSoFar. Qed.
  End OfBehaviours.
End Holds.
