(* Under Fairness every snapshot of ChandyLamport is completed, given what the solvers prove of the measure. *)
From Coq Require Import List Arith Lia Bool.
From Snapshots Require Import Structures Obligations Behaviours Sequences ChandyLamport ChandyLamportHolds.
Import ListNotations.

(* Sums over the channels, and how many processes are white. *)
Section Counting.
  Context {A : Type}.

  Lemma sum_no_more (f g : A -> nat) l : (forall a, g a <= f a) -> list_sum (map g l) <= list_sum (map f l).
  Proof. intro H. induction l as [|a l IH]; simpl; [auto|]. specialize (H a). lia. Qed.

  Lemma sum_less (f g : A -> nat) l a : (forall a, g a <= f a) -> In a l -> g a < f a -> list_sum (map g l) < list_sum (map f l).
  Proof.
    intros H. induction l as [|a' l IH]; simpl; [easy|]. intros [->|I] L.
    - assert (N := sum_no_more f g l H). lia.
    - specialize (H a'). specialize (IH I L). lia.
  Qed.

  Lemma filter_no_more (f g : A -> bool) l : (forall a, g a = true -> f a = true) -> length (filter g l) <= length (filter f l).
  Proof.
    intro H. induction l as [|a l IH]; simpl; [auto|]. specialize (H a).
    destruct (g a), (f a); simpl; try lia; discriminate H; auto.
  Qed.

  Lemma filter_less (f g : A -> bool) l a : (forall a, g a = true -> f a = true) -> In a l -> f a = true -> g a = false ->
    length (filter g l) < length (filter f l).
  Proof.
    intro H. induction l as [|a' l IH]; simpl; [easy|]. intros [->|I] F N.
    - rewrite F, N. simpl. assert (M := filter_no_more f g l H). lia.
    - specialize (IH I F N). specialize (H a'). destruct (g a'), (f a'); simpl; try lia; discriminate H; auto.
  Qed.
End Counting.

Section Ends.
  Context {Proc Chan St Msg : Type}.
  Variables (Source Target : Chan -> Proc) (Initiator : Proc -> Prop).
  Variables (Sending Accepting : Proc -> Chan -> St -> Msg -> St -> Prop) (Changing : Proc -> St -> St -> Prop).
  Variable Exchanging : Proc -> St -> (Chan -> option Msg) -> (Chan -> option Msg) -> St -> Prop.
  Hypothesis ExchangingNothing : forall p s a b t, Exchanging p s a b t ->
    (forall c, a c = None) -> (forall c, b c = None) -> t = s.
  Hypothesis decide : forall P : Prop, {P} + {~ P}.
  Variable a_message : Msg.
  (* The graph is finite, and everyone is reached from the initiators. *)
  Variables (processes : list Proc) (channels : list Chan).
  Hypothesis all_processes : forall p, In p processes.
  Hypothesis all_channels : forall c, In c channels.
  Inductive reached : Proc -> Prop :=
  | first p : Initiator p -> reached p
  | further c : reached (Source c) -> reached (Target c).
  Hypothesis AllReachable : forall p, reached p.

  Local Notation G := (@G Proc Chan St Msg Source Target Initiator).
  Hypothesis solved : ChandyLamport_obligations G.
  Hypothesis ends : SnapshotEnds_obligations G.

  Local Notation stands := (@stands Proc Chan St Msg Source Target Initiator).
  Local Notation element_at := (@element_at Proc Chan St Msg Source Target Initiator).
  Local Notation Next := (@Next Proc Chan St Msg Source Target Initiator Sending Accepting Changing Exchanging).
  Local Notation Accept := (@Accept Proc Chan St Msg Source Target Accepting).
  Local Notation AcceptMarker := (@AcceptMarker Proc Chan St Msg Source Target).
  Local Notation Initiate := (@Initiate Proc Chan St Msg Source Target Initiator).
  Local Notation Step := (@Step Proc Chan St Msg Source Target).
  Local Notation Complete := (@Complete Proc Chan St Msg Target).
  Local Notation lists := (@lists Proc Chan St Msg).
  Local Notation element := (@element Msg).

  (* How many elements are markers, or ahead of one. *)
  Fixpoint due (q : list element) : nat :=
    match q with [] => 0 | _ :: q' => if existsb IsMarker q then S (due q') else 0 end.

  Definition measure (l : lists) : nat * nat :=
    (length (filter (fun p => negb (Colour l p)) processes), list_sum (map (fun c => due (l_chan l c)) channels)).

  Definition Due (P M : nat -> Prop) k := P k /\ exists j, P j /\ M j /\ (j = k \/ j > k).

  Lemma due_counts q : forall (P M : nat -> Prop) (stands : nat -> element -> Prop),
    (forall k e, P k -> stands k e -> (M k <-> IsMarker e = true)) -> reads gt P stands q ->
    exists ks, NoDup ks /\ (forall k, In k ks <-> Due P M k) /\ length ks = due q.
  Proof.
    induction q as [|e q IH]; intros P M stands says R.
    - exists []. split; [constructor|]. split; [|auto]. intro k. split; [easy|]. intros [K _]. exact (reads_empty gt _ _ R k K).
    - destruct (existsb IsMarker (e :: q)) eqn:X.
      + destruct (reads_cons gt Nat.lt_irrefl _ _ _ _ R) as (k & K & least & here & R').
        destruct (IH (fun j => P j /\ j <> k) M stands) as (ks & D & I & L); [intros j e' [J _]; now apply says|auto|].
        exists (k :: ks). split; [constructor; [|auto]; rewrite I; unfold Due; tauto|]. split; [|simpl in *; rewrite X; auto].
        intro j. simpl. rewrite I. split.
        * intros [<-|[[J N] (i & [A _] & B & C)]]; [|split; eauto]. split; [auto|]. apply existsb_exists in X as (e' & [->|E] & Y).
          -- exists k. split; [auto|]. split; [now apply (says k e')|auto].
          -- destruct (reads_in gt _ _ _ _ R' E) as (i & [A N] & B). exists i. split; [auto|]. split; [now apply (says i e')|].
             now apply least.
        * intros [J (i & A & B & C)]. destruct (Nat.eq_dec k j) as [->|N]; [auto|right]. split; [split; auto|].
          exists i. split; [split; [auto|]|auto]. intros ->. destruct (least j J); lia.
      + exists []. split; [constructor|]. split; [|simpl in *; now rewrite X]. intro k. split; [easy|].
        intros [_ (j & J & B & _)]. destruct (reads_at gt _ _ _ _ R J) as (e' & E & H). apply (says j e' J) in B; [|auto].
        assert (existsb IsMarker (e :: q) = true) by (apply existsb_exists; eauto). congruence.
  Qed.

  Lemma markers (x : values G) c k e : element_at x c k e -> (isMarker x c k <-> IsMarker e = true).
  Proof. destruct e; simpl; intuition discriminate. Qed.

  Definition Due_in (x : values G) c := Due (chan x c) (isMarker x c).

  Lemma due_no_more l l' (x y : values G) c : stands l x -> stands l' y -> (forall k, Due_in y c k -> Due_in x c k) ->
    due (l_chan l' c) <= due (l_chan l c) /\ ((exists k, Due_in x c k /\ ~ Due_in y c k) -> due (l_chan l' c) < due (l_chan l c)).
  Proof.
    intros (_ & _ & _ & _ & C) (_ & _ & _ & _ & C') sub. destruct (C c) as (_ & R & _), (C' c) as (_ & R' & _).
    destruct (due_counts _ _ (isMarker x c) _ (fun k e _ => markers x c k e) R) as (ks & D & I & <-).
    destruct (due_counts _ _ (isMarker y c) _ (fun k e _ => markers y c k e) R') as (js & D' & I' & <-). split.
    - apply NoDup_incl_length; [auto|]. intros k K. apply I, sub, I', K.
    - intros [k [K N]]. enough (L : length (k :: js) <= length ks) by exact L. apply NoDup_incl_length.
      + constructor; [|auto]. intro J. now apply N, I'.
      + intros j [<-|J]; [now apply I|]. apply I, sub, I', J.
  Qed.

  Ltac by_action N := destruct N as [(c & k & m & t & mark & T)|[(c & k & t & mark & T)|[(p & t & mark & T)|
    [(p & t & takes & at_ & gives & new & body & mark & acts_red & T)|[(p & mark & T)|(c & k & mark & T)]]]]].

  Definition turns (x y : values G) := exists p, red y p /\ ~ red x p.

  Lemma white_no_more (x y : values G) : ChandyLamport_Inv x -> ChandyLamport_Next x y \/ x = y -> forall p, red x p -> red y p.
  Proof. intros I [N|<-]; [|auto]. destruct ends. by_action N; eauto. Qed.

  Lemma due_kept (x y : values G) : ChandyLamport_Inv x -> ChandyLamport_Next x y \/ x = y -> ~ turns x y ->
    forall c k, Due_in y c k -> Due_in x c k.
  Proof. intros I [N|<-] calm; [|auto]. destruct ends. unfold Due_in, Due. by_action N; eauto. Qed.

  Definition helpful_at (x : values G) c k := chan x c k /\ (forall j, chan x c j -> j = k \/ j > k) /\ Due_in x c k.

  Lemma helpful_kept (x y : values G) : ChandyLamport_Inv x -> ChandyLamport_Next x y \/ x = y -> ~ turns x y ->
    forall c k, helpful_at x c k -> helpful_at y c k \/ exists d j, Due_in x d j /\ ~ Due_in y d j.
  Proof.
    intros I [N|<-] calm c' k' H; [|auto].
    enough (K : helpful_at y c' k' \/ exists d j, chan x d j /\
        (exists i, chan x d i /\ isMarker x d i /\ (i = j \/ i > j)) /\ ~ Due_in y d j).
    { destruct K as [K|(d & j & K & K' & K'')]; [auto|right]. exists d, j. split; [split; auto|auto]. }
    revert c' k' H. by_action N.
    - exact (SnapshotEnds_ChandyLamport_StaysHelpful_Send G ends x y c k m t mark I T calm).
    - exact (SnapshotEnds_ChandyLamport_StaysHelpful_Accept G ends x y c k t mark I T calm).
    - exact (SnapshotEnds_ChandyLamport_StaysHelpful_Internal G ends x y p t mark I T calm).
    - exact (SnapshotEnds_ChandyLamport_StaysHelpful_Exchange G ends x y p t takes at_ gives new body mark acts_red I T calm).
    - exact (SnapshotEnds_ChandyLamport_StaysHelpful_Initiate G ends x y p mark I T calm).
    - exact (SnapshotEnds_ChandyLamport_StaysHelpful_AcceptMarker G ends x y c k mark I T calm).
  Qed.

  Lemma step_measure l l' (x y : values G) : stands l x -> stands l' y -> ChandyLamport_Inv x -> ChandyLamport_Next x y \/ x = y ->
    no_more (measure l') (measure l) /\
    (turns x y \/ (exists c k, Due_in x c k /\ ~ Due_in y c k) -> less (measure l') (measure l)).
  Proof.
    intros S S' I N. pose proof S as (_ & C & _). pose proof S' as (_ & C' & _).
    assert (white : forall p, negb (Colour l' p) = true -> negb (Colour l p) = true).
    { intros p W. apply negb_true_iff, not_true_iff_false. intro R. apply C, (white_no_more x y I N), C' in R. now rewrite R in W. }
    destruct (decide (turns x y)) as [[p [R W]]|calm].
    - enough (fst (measure l') < fst (measure l)) by (unfold no_more, less; lia).
      apply (filter_less _ _ _ p white (all_processes p)).
      + apply negb_true_iff, not_true_iff_false. intro B. now apply C in B.
      + apply C' in R. now rewrite R.
    - assert (F := filter_no_more _ _ processes white).
      assert (D := fun c => due_no_more l l' x y c S S' (due_kept x y I N calm c)).
      assert (L := sum_no_more _ _ channels (fun c => proj1 (D c))).
      split; [unfold no_more, measure; simpl; lia|]. intros [T|[c G]]; [easy|].
      assert (L' := sum_less _ _ channels c (fun c => proj1 (D c)) (all_channels c) (proj2 (D c) G)).
      unfold less, measure. simpl. lia.
  Qed.

  Inductive fair_action := take_message (c : Chan) | take_marker (c : Chan) | initiate (p : Proc).

  Definition act (a : fair_action) (l l' : lists) : Prop :=
    match a with take_message c => Accept l l' c | take_marker c => AcceptMarker l l' c | initiate p => Initiate l l' p end.

  Definition helpful (a : fair_action) (l : lists) : Prop :=
    match a with
    | take_message c => exists m r q, l_chan l c = message m r :: q /\ In marker q
    | take_marker c => exists q, l_chan l c = marker :: q
    | initiate p => Initiator p /\ Colour l p = false
    end.

  (* In terms of positions: what stands at k of c. *)
  Lemma helpful_stands l (x : values G) : stands l x -> forall c k, helpful_at x c k ->
    (~ isMarker x c k -> helpful (take_message c) l) /\ (isMarker x c k -> helpful (take_marker c) l).
  Proof.
    intros (_ & _ & _ & _ & C) c k (K & least & _ & (j & J & M & A)). destruct (C c) as (_ & R & _).
    destruct (reads_first gt Nat.lt_irrefl (fun i j k a b => Nat.lt_trans k j i b a) _ _ _ _ R K least) as (e & q & Q & H).
    destruct e as [m r|]; simpl in H; (split; intro N; [|]); try tauto.
    - exists m, r, q. split; [auto|]. destruct (reads_at gt _ _ _ _ R J) as (e' & E & H'). rewrite Q in E.
      destruct e' as [m' r'|]; simpl in H'; [tauto|]. destruct E as [E|E]; [discriminate|auto].
    - now exists q.
  Qed.

  Lemma stands_helpful l (x : values G) c e q : stands l x -> l_chan l c = e :: q -> In marker (e :: q) ->
    exists k, helpful_at x c k /\ element_at x c k e.
  Proof.
    intros (_ & _ & _ & _ & C) Q M. destruct (C c) as (_ & R & _). rewrite Q in R.
    destruct (reads_cons gt Nat.lt_irrefl _ _ _ _ R) as (k & K & least & H & _). exists k. split; [|auto].
    split; [auto|]. split; [auto|]. split; [auto|]. destruct (reads_in gt _ _ _ _ R M) as (j & J & B). exists j. split; [auto|].
    split; [exact B|now apply least].
  Qed.

  Lemma marker_lasts (x y : values G) : ChandyLamport_Inv x -> ChandyLamport_Next x y \/ x = y -> forall c k, sent x c k ->
    (isMarker x c k <-> isMarker y c k).
  Proof.
    intros I [N|<-]; [|tauto]. assert (E : ChandyLamport_ElementsLast x y) by (destruct solved; by_action N; eauto).
    intros c k. apply E.
  Qed.

  (* Less *)
  Lemma act_less a l l' (x : values G) : stands l x -> ChandyLamport_Inv x -> helpful a l -> act a l l' ->
    less (measure l') (measure l).
  Proof.
    intros S I H T. destruct a as [c|c|p]; simpl in T.
    - destruct H as (m & r & q & Q & M). destruct (stands_helpful l x c _ q S Q (in_cons _ _ _ M)) as (k & (K & least & D) & _).
      destruct (accept_simulated Source Target Initiator Sending Accepting Changing decide l l' x c S I T) as (y & (j & t & mark & T') & S').
      assert (j = k) as -> by (destruct T' as (J & least' & _), (least j J), (least' k K); auto; simpl in *; lia).
      apply (step_measure l l' x y); auto; [left; right; left; now exists c, k, t, mark|]. right. exists c, k. split; [auto|].
      intros [Y _]. exact (SnapshotEnds_ChandyLamport_Less_Accept G ends x y c k t mark I T' D Y).
    - destruct H as (q & Q). destruct (stands_helpful l x c _ q S Q (in_eq _ _)) as (k & (K & least & D) & _).
      destruct (accept_marker_simulated Source Target Initiator Sending Accepting Changing decide l l' x c S I T) as (y & (j & mark & T') & S').
      assert (j = k) as -> by (destruct T' as (_ & J & least' & _), (least j J), (least' k K); auto; simpl in *; lia).
      apply (step_measure l l' x y); auto; [left; do 5 right; now exists c, k, mark|]. right. exists c, k. split; [auto|].
      intros [Y _]. exact (SnapshotEnds_ChandyLamport_Less_AcceptMarker G ends x y c k mark I T' D Y).
    - destruct (initiate_simulated Source Target Initiator Sending Accepting Changing decide l l' x p S I T) as (y & (mark & T') & S').
      apply (step_measure l l' x y); auto; [left; do 4 right; left; now exists p, mark|]. left.
      exact (SnapshotEnds_ChandyLamport_Less_Initiate G ends x y p mark I T').
  Qed.

  Lemma same_measure l l' : same l l' -> measure l' = measure l.
  Proof.
    intros [P Q]. unfold measure. f_equal.
    - f_equal. apply filter_ext. intro p. unfold Colour. now rewrite (proj2 (P p)).
    - f_equal. apply map_ext. intro c. now rewrite (proj1 (Q c)).
  Qed.

  (* Enabled: there is a state after such a step. *)
  Lemma step_exists l p action turns' s head body :
    (forall c e, head c = Some e -> Target c = p /\ exists q, l_chan l c = e :: q) ->
    (forall c m, body c = Some m -> Source c = p) -> exists l', Step l l' p action turns' s head body.
  Proof.
    intros heads outs. set (out c := Emission turns' action (Sent action (body c))).
    exists (@Build_lists Proc Chan St Msg
      (fun q => if decide (q = p) then s else l_state l q)
      (fun c => if decide (Source c = p) then Rest l head c ++ out c else Rest l head c)
      (fun q => if decide (q = p /\ turns' = true) then Some (if action then l_state l p else s) else l_recState l q)
      (fun c => match head c with
        | Some (message m _) => if action && negb (l_closed l c) then l_recChan l c ++ [m] else l_recChan l c
        | _ => l_recChan l c end)
      (fun c => l_closed l c || match head c with Some marker => true | _ => false end)
      (fun c => if decide (Source c = p) then l_markers l c + length (filter IsMarker (out c)) else l_markers l c)
      (fun c => if action then Noted (l_whiteInRed l c) (head c) false else l_whiteInRed l c)
      (fun c => if action then l_redInWhite l c else Noted (l_redInWhite l c) (head c) true)).
    split; [auto|]. split; [auto|]. split; [|split; simpl; auto]. unfold Act, Put. simpl.
    split; [|split]; intro q; destruct (decide _); split; intro; tauto.
  Qed.

  Lemma only_exists {A} c (a : A) : exists f : Chan -> option A, only c a f.
  Proof.
    exists (fun d => if decide (d = c) then Some a else None). split; [now destruct (decide (c = c))|].
    intros d N. now destruct (decide (d = c)).
  Qed.

  Definition InputEnabled (l : lists) : Prop := forall c m r q, l_chan l c = message m r :: q ->
    exists s, Accepting (Target c) c (l_state l (Target c)) m s.

  Lemma act_enabled a l : InputEnabled l -> helpful a l -> exists l', act a l l'.
  Proof.
    intros E H. set (none := fun _ : Chan => @None Msg).
    destruct a as [c|c|p]; simpl.
    - destruct H as (m & r & q & Q & _). destruct (E c m r q Q) as [s A]. destruct (only_exists c (message m r)) as [head O].
      destruct (step_exists l (Target c) (Colour l (Target c)) false s head none) as [l' T]; [|easy|].
      + intros d e D. destruct (only_is decide _ _ _ O d e D) as [-> ->]. eauto.
      + exists l', m, r, s, head, none. split; [exact A|]. split; [exact O|]. split; [easy|exact T].
    - destruct H as (q & Q). destruct (only_exists c (@marker Msg)) as [head O].
      destruct (step_exists l (Target c) (Colour l (Target c)) (negb (Colour l (Target c))) (l_state l (Target c)) head none)
        as [l' T]; [|easy|].
      + intros d e D. destruct (only_is decide _ _ _ O d e D) as [-> ->]. eauto.
      + exists l', head, none. split; [exact O|]. split; [easy|exact T].
    - destruct H as [i W]. destruct (step_exists l p true true (l_state l p) (fun _ => None) none) as [l' T]; [easy|easy|].
      exists l'. split; [auto|]. split; [auto|]. exists (fun _ => None), none. split; [easy|]. split; [easy|exact T].
  Qed.

  Section OfBehaviours.
    Variable b : nat -> lists.
    Hypothesis is_behaviour : behaviour Init Next same b.

    Local Notation always := (always Source Target Initiator Sending Accepting Changing Exchanging ExchangingNothing decide
      a_message solved b is_behaviour).
    Local Notation always_steps := (always_steps Source Target Initiator Sending Accepting Changing Exchanging ExchangingNothing
      decide a_message solved b is_behaviour).

    Lemma never_more n : no_more (measure (b (S n))) (measure (b n)).
    Proof. destruct (always_steps n) as (x & y & A & I & B & _ & N). now apply (step_measure _ _ x y). Qed.

    Lemma stays_helpful n a : helpful a (b n) -> helpful a (b (S n)) \/ less (measure (b (S n))) (measure (b n)).
    Proof.
      intro H. destruct (always_steps n) as (x & y & A & I & B & _ & N). destruct (step_measure _ _ x y A B I N) as [_ L].
      destruct (decide (turns x y)) as [T|calm]; [auto|].
      assert (two : forall c k, helpful_at x c k -> helpful_at y c k \/ less (measure (b (S n))) (measure (b n))).
      { intros c k K. destruct (helpful_kept x y I N calm c k K); auto. }
      destruct a as [c|c|p].
      - destruct H as (m & r & q & Q & M). destruct (stands_helpful _ x c _ q A Q (in_cons _ _ _ M)) as (k & K & E & _).
        destruct (two c k K) as [K'|]; [left|auto]. apply (helpful_stands _ y B c k K'). rewrite <- (marker_lasts x y I N); [auto|].
        apply (proj1 I), K.
      - destruct H as (q & Q). destruct (stands_helpful _ x c _ q A Q (in_eq _ _)) as (k & K & E).
        destruct (two c k K) as [K'|]; [left|auto]. apply (helpful_stands _ y B c k K'). rewrite <- (marker_lasts x y I N); [auto|].
        apply (proj1 I), K.
      - destruct H as [i W]. left. split; [auto|]. apply not_true_iff_false. intro R. apply calm. exists p.
        destruct A as (_ & C & _), B as (_ & C' & _). split; [now apply C'|]. rewrite C, W. discriminate.
    Qed.

    Lemma something_is_helpful n : ~ Complete (b n) -> exists a, helpful a (b n).
    Proof.
      intro U. destruct (always n) as (x & A & I). pose proof A as (_ & C & _ & _ & D).
      destruct ends as [some _ _]. edestruct (some x I) as [(p & i & W)|(c & k & K & F & K' & M)].
      - intros [R L]. apply U. intro p. split; [now apply C|]. intros c _. now apply D.
      - intros c k K. destruct (D c) as (_ & R & _). destruct (l_chan (b n) c) as [|e q].
        + now destruct (reads_empty gt _ _ R k).
        + destruct (reads_cons gt Nat.lt_irrefl _ _ _ _ R) as (j & J & least & _). now exists j.
      - intros [init spreads] p. induction (AllReachable p); [now apply init|now apply spreads].
      - exists (initiate p). split; [auto|]. apply not_true_iff_false. intro R. now apply C in R.
      - destruct (helpful_stands _ x A c k) as [H H']; [now split|].
        destruct (decide (isMarker x c k)); [exists (take_marker c)|exists (take_message c)]; auto.
    Qed.

    (* E14, E15, E18 *)
    Theorem EventuallyComplete from :
      (forall n, from <= n -> InputEnabled (b n)) ->
      (forall a, weakly_fair same (act a) b) ->
      forall n, exists j, n <= j /\ Complete (b j).
    Proof.
      intros accepts fair.
      apply (eventually_complete same act b helpful measure Complete from (fun P => match decide P with left H => or_introl H | right H => or_intror H end));
        auto using never_more, stays_helpful, something_is_helpful.
      - intros n a late H. destruct (act_enabled a (b n) (accepts n late) H) as [l' T]. exists l'. split; [auto|].
        intro U. destruct (always n) as (x & A & I). assert (L := act_less a _ _ x A I H T). rewrite (same_measure _ _ U) in L.
        unfold less in L. lia.
      - intros n a H T. destruct (always n) as (x & A & I). exact (act_less a _ _ x A I H T).
    Qed.
  End OfBehaviours.
End Ends.
