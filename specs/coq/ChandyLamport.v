(* ChandyLamport on sequences, as specs/ChandyLamport.tla has it: each of its steps is a step on positions, so that what
   the solvers prove holds of its behaviours. *)
From Coq Require Import List Arith Lia Bool.
From Snapshots Require Import Structures Obligations Behaviours Sequences.
Import ListNotations.

Section ChandyLamport.
  (* The graph, and the application, of which nothing is known. *)
  Context {Proc Chan St Msg : Type}.
  Variables (Source Target : Chan -> Proc) (Initiator : Proc -> Prop).
  Variables (Sending Accepting : Proc -> Chan -> St -> Msg -> St -> Prop) (Changing : Proc -> St -> St -> Prop).
  Variable Exchanging : Proc -> St -> (Chan -> option Msg) -> (Chan -> option Msg) -> St -> Prop.
  Hypothesis ExchangingNothing : forall p s a b t, Exchanging p s a b t ->
    (forall c, a c = None) -> (forall c, b c = None) -> t = s.
  (* As in TLA+ every formula is true or false, and IF may ask for any. *)
  Hypothesis decide : forall P : Prop, {P} + {~ P}.

  Inductive element := message (m : Msg) (colour : bool) | marker.
  (* `true' is red. *)

  Record lists := {
    l_state : Proc -> St;
    l_chan : Chan -> list element;
    l_recState : Proc -> option St;
    l_recChan : Chan -> list Msg;
    l_closed : Chan -> bool;
    l_markers : Chan -> nat;
    l_whiteInRed : Chan -> list Msg;
    l_redInWhite : Chan -> list Msg
  }.

  Definition Colour (l : lists) p := if l_recState l p then true else false.
  Definition IsMarker (e : element) := if e then false else true.

  Definition Init (l : lists) : Prop :=
    (forall c, l_chan l c = [] /\ l_recChan l c = [] /\ l_closed l c = false /\ l_markers l c = 0 /\
       l_whiteInRed l c = [] /\ l_redInWhite l c = []) /\
    forall p, l_recState l p = None.

  Definition Sent (action : bool) (body : option Msg) := match body with Some m => [message m action] | None => [] end.

  Definition Emission (turns action : bool) (body : list element) :=
    if turns then if action then marker :: body else body ++ [marker] else body.

  Definition Put (l l' : lists) p (out taken : Chan -> list element) : Prop :=
    forall c,
      (Source c = p -> l_chan l' c = taken c ++ out c /\
         l_markers l' c = l_markers l c + length (filter IsMarker (out c))) /\
      (Source c <> p -> l_chan l' c = taken c /\ l_markers l' c = l_markers l c).

  (* The channels, without the elements that are taken. *)
  Definition Rest (l : lists) (head : Chan -> option element) c := if head c then tl (l_chan l c) else l_chan l c.

  Definition Act (l l' : lists) p (action turns : bool) (s : St) (body : Chan -> option Msg) taken : Prop :=
    (forall q, (q = p /\ turns = true -> l_recState l' q = Some (if action then l_state l p else s)) /\
       (~ (q = p /\ turns = true) -> l_recState l' q = l_recState l q)) /\
    (forall q, (q = p -> l_state l' q = s) /\ (q <> p -> l_state l' q = l_state l q)) /\
    Put l l' p (fun c => Emission turns action (Sent action (body c))) taken.

  Definition Noted (ghost : list Msg) (taken : option element) (colour : bool) :=
    match taken with Some (message m r) => if eqb r colour then ghost ++ [m] else ghost | _ => ghost end.

  Definition Take (l l' : lists) (action : bool) (head : Chan -> option element) : Prop :=
    forall c,
      l_recChan l' c = match head c with
        | Some (message m _) => if action && negb (l_closed l c) then l_recChan l c ++ [m] else l_recChan l c
        | _ => l_recChan l c end /\
      l_closed l' c = l_closed l c || match head c with Some marker => true | _ => false end /\
      l_whiteInRed l' c = (if action then Noted (l_whiteInRed l c) (head c) false else l_whiteInRed l c) /\
      l_redInWhite l' c = (if action then l_redInWhite l c else Noted (l_redInWhite l c) (head c) true).

  (* What all actions are: process p, red or not, turns or not, takes the first elements of some inputs, and sends. *)
  Definition Step (l l' : lists) p (action turns : bool) s (head : Chan -> option element) body : Prop :=
    (forall c e, head c = Some e -> Target c = p /\ exists q, l_chan l c = e :: q) /\
    (forall c m, body c = Some m -> Source c = p) /\
    Act l l' p action turns s body (Rest l head) /\ Take l l' action head.

  Definition nothing {A : Type} (f : Chan -> option A) := forall c, f c = None.
  Definition only {A : Type} (c : Chan) (a : A) (f : Chan -> option A) := f c = Some a /\ forall d, d <> c -> f d = None.

  Definition Send (l l' : lists) c : Prop :=
    let p := Source c in exists m s head body, Sending p c (l_state l p) m s /\ nothing head /\ only c m body /\
      Step l l' p (Colour l p) false s head body.

  Definition Accept (l l' : lists) c : Prop :=
    let p := Target c in exists m r s head body, Accepting p c (l_state l p) m s /\ only c (message m r) head /\
      nothing body /\ Step l l' p (Colour l p) false s head body.

  Definition Internal (l l' : lists) p : Prop :=
    exists s head body, Changing p (l_state l p) s /\ nothing head /\ nothing body /\
      Step l l' p (Colour l p) false s head body.

  Definition Initiate (l l' : lists) p : Prop :=
    Colour l p = false /\ Initiator p /\ exists head body, nothing head /\ nothing body /\
      Step l l' p true true (l_state l p) head body.

  Definition AcceptMarker (l l' : lists) c : Prop :=
    let p := Target c in exists head body, only c marker head /\ nothing body /\
      Step l l' p (Colour l p) (negb (Colour l p)) (l_state l p) head body.

  Definition Messages (head : Chan -> option element) c :=
    match head c with Some (message m _) => Some m | _ => None end.

  Definition Exchange (l l' : lists) p : Prop :=
    exists s head body (acceptsMarker action : bool), let turns := negb (Colour l p) && acceptsMarker in
      Exchanging p (l_state l p) (Messages head) body s /\
      (acceptsMarker = true <-> exists c, head c = Some marker) /\
      (turns = false -> action = Colour l p) /\
      ((exists c d, head c <> None /\ head d <> None /\ c <> d) \/
       (exists c d, body c <> None /\ body d <> None /\ c <> d) \/
       (exists c d, head c <> None /\ body d <> None)) /\
      Step l l' p action turns s head body.

  Definition Next (l l' : lists) : Prop :=
    (exists c, Accept l l' c) \/ (exists c, Send l l' c) \/ (exists p, Internal l l' p) \/
    (exists p, Exchange l l' p) \/ (exists p, Initiate l l' p) \/ (exists c, AcceptMarker l l' c).

  Definition same (l l' : lists) : Prop :=
    (forall p, l_state l' p = l_state l p /\ l_recState l' p = l_recState l p) /\
    forall c, l_chan l' c = l_chan l c /\ l_recChan l' c = l_recChan l c /\ l_closed l' c = l_closed l c /\
      l_markers l' c = l_markers l c /\ l_whiteInRed l' c = l_whiteInRed l c /\ l_redInWhite l' c = l_redInWhite l c.

  (* Positions are numbers; of a channel's sequence it is not said at which they stand. *)
  Definition G : structure := {|
    Process := Proc; Channel := Chan; Position := nat; State := St; Message := Msg;
    source := Source; target := Target; initiator := Initiator; above := gt |}.

  Definition element_at (x : values G) (c : Chan) (k : nat) (e : element) : Prop :=
    match e with
    | message m r => ~ isMarker x c k /\ msg x c k = m /\ (isRed x c k <-> r = true)
    | marker => isMarker x c k
    end.

  Definition message_at (x : values G) (c : Chan) (k : nat) (m : Msg) : Prop := msg x c k = m.
  Definition marker_sent (x : values G) c k := sent x c k /\ isMarker x c k.
  Definition there (k : nat) (u : unit) : Prop := True.

  Definition in_channel (x : values G) (l : lists) (c : Chan) : Prop :=
    (closed x c <-> l_closed l c = true) /\
    reads gt (chan x c) (element_at x c) (l_chan l c) /\
    reads gt (recChan x c) (message_at x c) (l_recChan l c) /\
    reads gt (whiteInRed x c) (message_at x c) (l_whiteInRed l c) /\
    reads gt (redInWhite x c) (message_at x c) (l_redInWhite l c) /\
    reads gt (marker_sent x c) there (repeat tt (l_markers l c)).

  Definition stands (l : lists) (x : values G) : Prop :=
    (forall p, state x p = l_state l p) /\
    (forall p, red x p <-> Colour l p = true) /\
    (forall p s, l_recState l p = Some s -> recState x p = s) /\
    (exists bound : Chan -> nat, forall c k, sent x c k -> k < bound c) /\
    forall c, in_channel x l c.

  (* The first position of a set, below a bound. *)
  Definition least (P : nat -> Prop) (n : nat) : nat :=
    match find (fun k => if decide (P k) then true else false) (seq 0 n) with Some k => k | None => 0 end.

  Lemma least_is (P : nat -> Prop) n k : P k -> k < n -> P (least P n) /\ forall j, P j -> j = least P n \/ j > least P n.
  Proof.
    intros H L. unfold least.
    enough (E : forall m i, (forall j, P j -> i <= j) -> i <= k < i + m ->
      match find (fun k => if decide (P k) then true else false) (seq i m) with
      | Some k => P k /\ forall j, P j -> j = k \/ j > k | None => False end).
    { specialize (E n 0). destruct (find _ _); [apply E; [intros; lia|lia]|destruct E; [intros; lia|lia]]. }
    induction m as [|m IH]; intros i low range; [lia|]. simpl. destruct (decide (P i)) as [Y|N].
    - split; [auto|]. intros j J. specialize (low j J). lia.
    - apply IH; [|assert (i <> k) by congruence; lia].
      intros j J. assert (i <> j) by congruence. specialize (low j J). lia.
  Qed.

  (* The state after such a step, on positions. *)
  Record moved (x y : values G) (p : Proc) (s : St) (takes : Chan -> Prop) (at_ : Chan -> nat) (gives : Chan -> Prop)
      (new : Chan -> nat) (bodies : Chan -> Msg) (marks : Chan -> Prop) (mark : Chan -> nat) (turns acts_red : Prop) : Prop := {
    Ystate : forall q, (q = p -> state y q = s) /\ (q <> p -> state y q = state x q);
    Ychan : forall c k, chan y c k <-> (chan x c k /\ ~ (takes c /\ k = at_ c)) \/ (gives c /\ k = new c) \/ (marks c /\ k = mark c);
    Ysent : forall c k, sent y c k <-> sent x c k \/ (gives c /\ k = new c) \/ (marks c /\ k = mark c);
    Ymsg : forall c k, (gives c /\ k = new c -> msg y c k = bodies c) /\ (~ (gives c /\ k = new c) -> msg y c k = msg x c k);
    YisRed : forall c k, isRed y c k <-> (gives c /\ k = new c -> acts_red) /\ (~ (gives c /\ k = new c) -> isRed x c k);
    YisMarker : forall c k, isMarker y c k <-> (marks c /\ k = mark c) \/ (~ (gives c /\ k = new c) /\ isMarker x c k);
    Yred : forall q, red y q <-> red x q \/ (q = p /\ turns);
    YrecState : forall q, (q = p /\ turns -> (acts_red -> recState y q = state x p) /\ (~ acts_red -> recState y q = s)) /\
                          (~ (q = p /\ turns) -> recState y q = recState x q);
    YrecChan : forall c k, recChan y c k <-> recChan x c k \/ (takes c /\ k = at_ c /\ ~ isMarker x c k /\ acts_red /\ ~ closed x c);
    Yclosed : forall c, closed y c <-> closed x c \/ (takes c /\ isMarker x c (at_ c));
    YwhiteInRed : forall c k, whiteInRed y c k <-> whiteInRed x c k \/ (takes c /\ k = at_ c /\ ~ isMarker x c k /\ acts_red /\ ~ isRed x c k);
    YredInWhite : forall c k, redInWhite y c k <-> redInWhite x c k \/ (takes c /\ k = at_ c /\ ~ isMarker x c k /\ ~ acts_red /\ isRed x c k)
  }.

  Lemma is_moved x p s takes at_ gives new bodies marks mark turns acts_red :
    exists y, moved x y p s takes at_ gives new bodies marks mark turns acts_red.
  Proof.
    exists (Build_values G
      (fun q => if decide (q = p) then s else state x q)
      (fun c k => (chan x c k /\ ~ (takes c /\ k = at_ c)) \/ (gives c /\ k = new c) \/ (marks c /\ k = mark c))
      (fun c k => sent x c k \/ (gives c /\ k = new c) \/ (marks c /\ k = mark c))
      (fun c k => if decide (gives c /\ k = new c) then bodies c else msg x c k)
      (fun c k => (gives c /\ k = new c -> acts_red) /\ (~ (gives c /\ k = new c) -> isRed x c k))
      (fun c k => (marks c /\ k = mark c) \/ (~ (gives c /\ k = new c) /\ isMarker x c k))
      (fun q => red x q \/ (q = p /\ turns))
      (fun q => if decide (q = p /\ turns) then if decide acts_red then state x p else s else recState x q)
      (fun c k => recChan x c k \/ (takes c /\ k = at_ c /\ ~ isMarker x c k /\ acts_red /\ ~ closed x c))
      (fun c => closed x c \/ (takes c /\ isMarker x c (at_ c)))
      (fun c k => whiteInRed x c k \/ (takes c /\ k = at_ c /\ ~ isMarker x c k /\ acts_red /\ ~ isRed x c k))
      (fun c k => redInWhite x c k \/ (takes c /\ k = at_ c /\ ~ isMarker x c k /\ ~ acts_red /\ isRed x c k))).
    split; simpl; try easy; intros; repeat destruct (decide _); tauto.
  Qed.

  Lemma reads_noted (x y : values G) c q P Q (k : nat) (m : Msg) (more : bool) :
    reads gt P (message_at x c) q ->
    (forall j, P j -> msg y c j = msg x c j) -> msg y c k = m ->
    (more = true -> forall j, P j -> k > j) ->
    (forall j, Q j <-> P j \/ (more = true /\ j = k)) ->
    reads gt Q (message_at y c) (if more then q ++ [m] else q).
  Proof.
    intros R old here behind same'. unfold message_at in *.
    assert (R' : reads gt P (fun j m => msg y c j = m) q).
    { apply reads_same with (3 := R); [easy|]. intros j e J <-. auto. }
    destruct more.
    - eapply reads_same; [| |apply reads_append with (k := k) (e := m) (3 := R'); auto].
      + intro j. rewrite same'. intuition auto.
      + auto.
    - apply reads_same with (3 := R'); [|auto]. intro j. rewrite same'. intuition discriminate.
  Qed.

  Lemma step_stands l l' x y p (action turns : bool) s head body takes at_ gives new bodies marks mark turning acts_red :
    stands l x -> ChandyLamport_Inv x -> Step l l' p action turns s head body ->
    (turns = true -> Colour l p = false) ->
    (forall c, takes c <-> exists e, head c = Some e) ->
    (forall c, takes c -> chan x c (at_ c) /\ forall j, chan x c j -> j = at_ c \/ j > at_ c) ->
    (forall c, gives c <-> exists m, body c = Some m) ->
    (forall c m, body c = Some m -> bodies c = m) ->
    (forall c, marks c <-> Source c = p /\ turns = true) ->
    (forall c, gives c -> forall j, sent x c j -> new c > j) ->
    (forall c, marks c -> forall j, sent x c j -> mark c > j) ->
    (forall c, marks c -> gives c -> if action then new c > mark c else mark c > new c) ->
    (turning <-> turns = true) -> (acts_red <-> action = true) ->
    moved x y p s takes at_ gives new bodies marks mark turning acts_red -> stands l' y.
  Proof.
    intros (Sstate & Sred & Srec & [bound Sbound] & Schan) Inv (heads & outputs & (Trec & Tstate & Tput) & Ttake)
      once Htakes Hat Hgives Hbodies Hmarks Hnew Hmark Horder Hturning Hacts Y.
    split; [|split; [|split; [|split]]].
    - intro q. destruct (Ystate _ _ _ _ _ _ _ _ _ _ _ _ _ Y q) as [Y1 Y2], (Tstate q) as [T1 T2].
      destruct (decide (q = p)) as [E|N]; [rewrite Y1, T1|rewrite Y2, T2]; auto.
    - intro q. unfold Colour in *. rewrite (Yred _ _ _ _ _ _ _ _ _ _ _ _ _ Y), Sred, Hturning. destruct (Trec q) as [T1 T2].
      destruct (decide (q = p /\ turns = true)) as [C|N].
      + rewrite T1 by auto. tauto.
      + rewrite T2 by auto. tauto.
    - intros q v V. destruct (Trec q) as [T1 T2]. destruct (YrecState _ _ _ _ _ _ _ _ _ _ _ _ _ Y q) as [Y1 Y2].
      destruct (decide (q = p /\ turns = true)) as [[-> C]|N].
      + rewrite T1 in V by tauto. rewrite <- Sstate in V. destruct Y1 as [Y3 Y4]; [tauto|].
        destruct action; [rewrite Y3|rewrite Y4]; intuition congruence.
      + rewrite Y2 by tauto. apply Srec. rewrite <- V. symmetry. apply T2. tauto.
    - exists (fun c => S (bound c + new c + mark c)). intros c k H. apply (Ysent _ _ _ _ _ _ _ _ _ _ _ _ _ Y) in H.
      destruct H as [H|[[_ ->]|[_ ->]]]; [|lia|lia]. specialize (Sbound c k H). lia.
    - intro c. specialize (Schan c) as (Sclosed & Sch & SrecC & Swir & Sriw & Smk).
      specialize (Ttake c) as (TrecC & Tclosed & Twir & Triw).
      destruct Inv as (Isent & Iorder & _ & Inone & _ & Iwas & _ & _ & _ & _ & Isofar).
      assert (oldsent : forall k, sent x c k -> ~ (gives c /\ k = new c) /\ ~ (marks c /\ k = mark c)).
      { intros k K. split; intros [V ->]; [specialize (Hnew c V _ K)|specialize (Hmark c V _ K)]; lia. }
      assert (taken : forall e, head c = Some e -> takes c /\ element_at x c (at_ c) e /\ chan x c (at_ c) /\ sent x c (at_ c)).
      { intros e H. assert (T : takes c) by (apply Htakes; eauto). destruct (heads c e H) as [_ [q Q]].
        destruct (Hat c T) as [K least']. repeat split; auto. rewrite Q in Sch.
        destruct (reads_first gt (Nat.lt_irrefl) (fun i j k a b => Nat.lt_trans k j i b a) _ _ _ _ Sch K least') as [e' [q' [E H']]].
        congruence. }
      assert (untaken : head c = None -> ~ takes c).
      { intros H T. apply Htakes in T as [e T]. congruence. }
      assert (behind : forall e m r, head c = Some e -> e = message m r -> forall j, whiteInRed x c j -> at_ c > j).
      { intros e m r H -> j J. destruct (taken _ H) as (_ & (M & _) & C & _). destruct (Iwas c j J) as (S1 & S2 & S3 & _).
        apply (Iorder c j (at_ c)). repeat split; auto. }
      destruct Y as [_ Ychan Ysent Ymsg YisRed YisMarker _ _ YrecChan Yclosed Ywhite Yred].
      specialize (Ychan c). specialize (Ysent c). specialize (Ymsg c). specialize (YisRed c). specialize (YisMarker c).
      specialize (YrecChan c). specialize (Yclosed c). specialize (Ywhite c). specialize (Yred c).
      assert (msgs : forall k, sent x c k -> msg y c k = msg x c k).
      { intros k K. apply Ymsg. apply (oldsent k K). }
      assert (kept : forall k e, sent x c k -> element_at x c k e -> element_at y c k e).
      { intros k e K. destruct (oldsent k K) as [H H0]. destruct e; simpl; rewrite YisMarker; [|clear - H H0; tauto]. rewrite (msgs k K), YisRed. clear - H H0. tauto. }
      assert (rest : reads gt (fun k => chan x c k /\ ~ (takes c /\ k = at_ c)) (element_at y c) (Rest l head c)).
      { unfold Rest. destruct (head c) as [e|] eqn:H.
        - destruct (taken _ eq_refl) as (T & _ & C & _). destruct (heads c e H) as [_ [q Q]]. rewrite Q in *. simpl.
          destruct (reads_cons gt Nat.lt_irrefl _ _ _ _ Sch) as (k & K & least' & _ & R).
          assert (k = at_ c) as ->.
          { destruct (least' _ C), (proj2 (Hat c T) _ K); lia. }
          apply reads_same with (3 := R); [intro k; clear - T; tauto|]. intros k e' [K' _]. apply kept. now apply Isent.
        - specialize (untaken eq_refl). apply reads_same with (3 := Sch); [intro k; clear - untaken; tauto|].
          intros k e K. apply kept. now apply Isent. }
      assert (sends : forall m, body c = Some m -> gives c /\ element_at y c (new c) (message m action)).
      { intros m B. assert (V : gives c) by (apply Hgives; eauto). split; [auto|]. simpl.
        rewrite YisMarker, YisRed, (proj1 (Ymsg (new c))) by auto. split; [|split; [auto|clear - V Hacts; tauto]].
        intros [[M E]|N]; [|clear - N V; tauto]. specialize (Horder c M V). destruct action; lia. }
      assert (marked : marks c -> element_at y c (mark c) marker) by (intro M; simpl; rewrite YisMarker; clear - M; tauto).
      assert (ahead : forall k, chan x c k /\ ~ (takes c /\ k = at_ c) -> sent x c k) by (intros k [K _]; now apply Isent).
      assert (quiet : body c = None -> ~ gives c).
      { intros B V. apply Hgives in V as [m V]. congruence. }
      destruct (Tput c) as [P1 P2]. specialize (Hmarks c). specialize (Hnew c). specialize (Hmark c). specialize (Horder c).
      split; [|split; [|split; [|split; [|split]]]].
      + rewrite Yclosed, Tclosed, orb_true_iff, Sclosed. destruct (head c) as [[m r|]|].
        * destruct (taken _ eq_refl) as (_ & (N & _) & _). simpl in N. clear - N. intuition discriminate.
        * destruct (taken _ eq_refl) as (T & N & _). simpl in N. clear - N T. intuition auto.
        * specialize (untaken eq_refl). clear - untaken. intuition discriminate.
      + destruct (decide (Source c = p)) as [E|N].
        * rewrite (proj1 (P1 E)). unfold Emission, Sent.
          destruct turns, (body c) as [m|];
            [destruct (sends _ eq_refl) as [V V']; assert (M : marks c) by (clear - Hmarks E; tauto); specialize (Horder M V)
            |specialize (quiet eq_refl); assert (M : marks c) by (clear - Hmarks E; tauto)
            |destruct (sends _ eq_refl) as [V V']; assert (M : ~ marks c) by (clear - Hmarks; intuition discriminate)
            |specialize (quiet eq_refl); assert (M : ~ marks c) by (clear - Hmarks; intuition discriminate)].
          -- destruct action.
             ++ change [marker; message m true] with ([marker] ++ [message m true]). rewrite app_assoc.
                eapply reads_same with (P := fun k => ((chan x c k /\ ~ (takes c /\ k = at_ c)) \/ k = mark c) \/ k = new c);
                  [intro k; rewrite Ychan; clear - V M; tauto|intros ? ? _ A; exact A|].
                apply reads_append; [intros j [J| ->]; auto|auto|]. apply reads_append; auto.
             ++ change ([message m false] ++ [marker]) with ([message m false] ++ [marker]). rewrite app_assoc.
                eapply reads_same with (P := fun k => ((chan x c k /\ ~ (takes c /\ k = at_ c)) \/ k = new c) \/ k = mark c);
                  [intro k; rewrite Ychan; clear - V M; tauto|intros ? ? _ A; exact A|].
                apply reads_append; [intros j [J| ->]; auto|auto|]. apply reads_append; auto.
          -- replace (if action then [marker] else [] ++ [marker]) with [@marker] by (now destruct action).
             eapply reads_same with (P := fun k => (chan x c k /\ ~ (takes c /\ k = at_ c)) \/ k = mark c);
               [intro k; rewrite Ychan; clear - quiet M; tauto|intros ? ? _ A; exact A|]. apply reads_append; auto.
          -- eapply reads_same with (P := fun k => (chan x c k /\ ~ (takes c /\ k = at_ c)) \/ k = new c);
               [intro k; rewrite Ychan; clear - V M; tauto|intros ? ? _ A; exact A|]. apply reads_append; auto.
          -- rewrite app_nil_r. eapply reads_same with (3 := rest); [intro k; rewrite Ychan; clear - quiet M; tauto|auto].
        * rewrite (proj1 (P2 N)). eapply reads_same with (3 := rest); [|auto]. intro k. rewrite Ychan.
          assert (H : ~ gives c) by (intro V; apply Hgives in V as [m V]; eauto). clear - H N Hmarks. tauto.
      + destruct (head c) as [[m r|]|] eqn:H.
        * destruct (taken _ eq_refl) as (T & (N & M & R) & C & S). rewrite TrecC.
          apply reads_noted with (x := x) (P := recChan x c) (k := at_ c); auto.
          -- intros j J. apply msgs. apply Iwas, Isofar, J.
          -- now rewrite msgs.
          -- intros _ j J. eapply behind; eauto. now apply Isofar.
          -- intro j. rewrite YrecChan, andb_true_iff, negb_true_iff, <- not_true_iff_false, <- Sclosed, <- Hacts.
             clear - N T. intuition (subst; tauto).
        * rewrite TrecC. destruct (taken _ eq_refl) as (T & N & _). eapply reads_same with (3 := SrecC).
          -- intro k. rewrite YrecChan. simpl in N. clear - N. intuition (subst; tauto).
          -- intros k e K <-. apply msgs, Iwas, Isofar, K.
        * rewrite TrecC. specialize (untaken eq_refl). eapply reads_same with (3 := SrecC); [intro k; rewrite YrecChan; clear - untaken; tauto|].
          intros k e K <-. apply msgs, Iwas, Isofar, K.
      + destruct (head c) as [[m r|]|] eqn:H.
        * destruct (taken _ eq_refl) as (T & (N & M & R) & C & S). rewrite Twir.
          replace (if action then _ else _) with (if action && eqb r false then l_whiteInRed l c ++ [m] else l_whiteInRed l c)
            by (now destruct action, r).
          apply reads_noted with (x := x) (P := whiteInRed x c) (k := at_ c); auto.
          -- intros j J. apply msgs. apply Iwas, J.
          -- now rewrite msgs.
          -- intros _ j J. eapply behind; eauto.
          -- intro j. rewrite Ywhite, andb_true_iff, eqb_true_iff, <- not_true_iff_false, <- R, <- Hacts.
             clear - T N. intuition (subst; tauto).
        * destruct (taken _ eq_refl) as (T & N & _). replace (l_whiteInRed l' c) with (l_whiteInRed l c) by (now destruct action).
          apply reads_same with (3 := Swir).
          -- intro k. rewrite Ywhite. simpl in N. clear - N. intuition (subst; tauto).
          -- intros k e K <-. apply msgs, Iwas, K.
        * replace (l_whiteInRed l' c) with (l_whiteInRed l c) by (now destruct action). specialize (untaken eq_refl).
          apply reads_same with (3 := Swir); [intro k; rewrite Ywhite; clear - untaken; tauto|].
          intros k e K <-. apply msgs, Iwas, K.
      + assert (none : forall j, ~ redInWhite x c j) by (intro j; apply Inone).
        destruct (head c) as [[m r|]|] eqn:H.
        * destruct (taken _ eq_refl) as (T & (N & M & R) & C & S). rewrite Triw.
          replace (if action then _ else _) with (if negb action && eqb r true then l_redInWhite l c ++ [m] else l_redInWhite l c)
            by (now destruct action, r).
          apply reads_noted with (x := x) (P := redInWhite x c) (k := at_ c); auto.
          -- intros j J. now destruct (none j).
          -- now rewrite msgs.
          -- intros _ j J. now destruct (none j).
          -- intro j. rewrite Yred, andb_true_iff, negb_true_iff, eqb_true_iff, <- not_true_iff_false, <- R, <- Hacts.
             clear - T N. intuition (subst; tauto).
        * destruct (taken _ eq_refl) as (T & N & _). replace (l_redInWhite l' c) with (l_redInWhite l c) by (now destruct action).
          apply reads_same with (3 := Sriw).
          -- intro k. rewrite Yred. simpl in N. clear - N. intuition (subst; tauto).
          -- intros k e K. now destruct (none k).
        * replace (l_redInWhite l' c) with (l_redInWhite l c) by (now destruct action). specialize (untaken eq_refl).
          apply reads_same with (3 := Sriw); [intro k; rewrite Yred; clear - untaken; tauto|].
          intros k e K. now destruct (none k).
      + destruct (decide (marks c)) as [M|M].
        * assert (count : l_markers l' c = S (l_markers l c)).
          { rewrite (proj2 (P1 (proj1 (proj1 Hmarks M)))), (proj2 (proj1 Hmarks M)). unfold Emission, Sent. clear.
            destruct action, (body c); simpl; lia. }
          rewrite count. simpl. rewrite repeat_cons.
          apply reads_same with (P := fun k => marker_sent x c k \/ k = mark c) (stands := there); [|auto|].
          -- intro k. unfold marker_sent. rewrite Ysent, YisMarker. specialize (oldsent k). clear - oldsent M. tauto.
          -- apply reads_append; [intros j [J _]; now apply Hmark|exact I|auto].
        * assert (count : l_markers l' c = l_markers l c).
          { destruct (decide (Source c = p)) as [E|N]; [|apply (P2 N)]. rewrite (proj2 (P1 E)).
            destruct turns; [destruct M; now apply Hmarks|]. unfold Emission, Sent. clear. destruct (body c); simpl; lia. }
          rewrite count. apply reads_same with (3 := Smk); [|auto].
          intro k. unfold marker_sent. rewrite Ysent, YisMarker. specialize (oldsent k). clear - oldsent M. tauto.
  Qed.

  Ltac splits := repeat match goal with |- _ /\ _ => split end.

  (* A conjunct of an action: what a variable is after it. *)
  Ltac variables Y := let q := fresh in
    destruct Y as [Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10 Y11 Y12]; splits; intros;
    first [rewrite Y2|rewrite Y3|rewrite Y5|rewrite Y6|rewrite Y7|rewrite Y9|rewrite Y10|rewrite Y11|rewrite Y12|idtac];
    try tauto; try (now apply Y1); try (now apply Y4); try (now apply Y8); auto.

  Lemma nothing_iff {A} (f : Chan -> option A) : nothing f -> forall c, False <-> exists a, f c = Some a.
  Proof. intros none c. split; [easy|]. intros [a H]. now rewrite none in H. Qed.

  Lemma only_iff {A} c a (f : Chan -> option A) : only c a f -> forall d, d = c <-> exists b, f d = Some b.
  Proof.
    intros [one others] d. split; [intros ->; eauto|]. intros [b H]. destruct (decide (d = c)); [auto|].
    now rewrite others in H.
  Qed.

  Lemma only_is {A} c a (f : Chan -> option A) : only c a f -> forall d b, f d = Some b -> d = c /\ b = a.
  Proof. intros O d b H. assert (d = c) as -> by (apply (proj2 (only_iff _ _ _ O d)); eauto). destruct O as [one _]. split; congruence. Qed.

  (* What is to be shown of such a step beside that. *)
  Ltac sides := intros; subst; try discriminate; try tauto; try (intuition discriminate); eauto using nothing_iff, only_iff;
    try match goal with H : nothing ?f, E : ?f _ = Some _ |- _ => rewrite H in E; discriminate end;
    try match goal with O : only _ _ ?f, E : ?f _ = Some _ |- _ => destruct (only_is _ _ _ O _ _ E); subst; auto end.

  (* The first element of a channel stands at its least position. *)
  Lemma head_stands l x c e q bound : stands l x -> ChandyLamport_Inv x -> (forall c k, sent x c k -> k < bound c) ->
    l_chan l c = e :: q -> let k := least (chan x c) (bound c) in
    chan x c k /\ (forall j, chan x c j -> j = k \/ j > k) /\ element_at x c k e.
  Proof.
    intros S I below Q k. destruct S as (_ & _ & _ & _ & C). destruct (C c) as (_ & R & _). rewrite Q in R.
    destruct (reads_cons gt Nat.lt_irrefl _ _ _ _ R) as (j & J & first & here & _).
    destruct (least_is (chan x c) (bound c) j J) as [K least']; [apply below; now apply (proj1 I)|]. fold k in K, least'.
    assert (j = k) as -> by (destruct (least' j J), (first k K); lia). auto.
  Qed.

  Lemma send_simulated l l' x c : stands l x -> ChandyLamport_Inv x -> Send l l' c ->
    exists y, (exists k m t mark, ChandyLamport_Send x y c k m t mark) /\ stands l' y.
  Proof.
    intros S I (m & s & head & body & _ & none & O & step). pose proof S as (_ & Sred & _ & [bound Sbound] & _).
    destruct (is_moved x (Source c) s (fun _ => False) (fun _ => 0) (fun d => d = c) (fun _ => bound c) (fun _ => m)
      (fun _ => False) (fun _ => 0) False (red x (Source c))) as [y Y]. exists y. split.
    - exists (bound c), m, s, (fun _ => 0). unfold ChandyLamport_Send. clear - Y Sbound. variables Y; subst; auto.
      now apply Sbound.
    - eapply step_stands with (15 := Y); eauto; sides.
  Qed.

  Lemma accept_simulated l l' x c : stands l x -> ChandyLamport_Inv x -> Accept l l' c ->
    exists y, (exists k t mark, ChandyLamport_Accept x y c k t mark) /\ stands l' y.
  Proof.
    intros S I (m & r & s & head & body & _ & O & none & step). pose proof S as (_ & Sred & _ & [bound Sbound] & _).
    destruct (proj1 step c _ (proj1 O)) as [_ [q Q]]. destruct (head_stands l x c _ q bound S I Sbound Q) as (C & first & here).
    set (k := least (chan x c) (bound c)) in *.
    destruct (is_moved x (Target c) s (fun d => d = c) (fun _ => k) (fun _ => False) (fun _ => 0) (fun _ => m)
      (fun _ => False) (fun _ => 0) False (red x (Target c))) as [y Y]. exists y. split.
    - exists k, s, (fun _ => 0). unfold ChandyLamport_Accept. destruct here as [N _]. clear - Y C first N. variables Y.
    - eapply step_stands with (15 := Y); eauto; sides.
  Qed.

  Lemma internal_simulated l l' x p : stands l x -> ChandyLamport_Inv x -> Internal l l' p ->
    exists y, (exists t mark, ChandyLamport_Internal x y p t mark) /\ stands l' y.
  Proof.
    intros S I (s & head & body & _ & none & none' & step). pose proof S as (_ & Sred & _ & [bound Sbound] & _).
    destruct (is_moved x p s (fun _ => False) (fun _ => 0) (fun _ => False) (fun _ => 0) (fun c => msg x c 0)
      (fun _ => False) (fun _ => 0) False (red x p)) as [y Y]. exists y. split.
    - exists s, (fun _ => 0). unfold ChandyLamport_Internal. clear - Y. variables Y.
    - eapply step_stands with (15 := Y); eauto; sides.
  Qed.

  Lemma initiate_simulated l l' x p : stands l x -> ChandyLamport_Inv x -> Initiate l l' p ->
    exists y, (exists mark, ChandyLamport_Initiate x y p mark) /\ stands l' y.
  Proof.
    intros S I (white & may & head & body & none & none' & step). pose proof S as (Sstate & Sred & _ & [bound Sbound] & _).
    destruct (is_moved x p (l_state l p) (fun _ => False) (fun _ => 0) (fun _ => False) (fun _ => 0) (fun c => msg x c 0)
      (fun c => Source c = p) bound True True) as [y Y]. exists y. split.
    - exists bound. unfold ChandyLamport_Initiate.
      assert (N : ~ red x p) by (rewrite Sred, white; discriminate). rewrite <- Sstate in Y. clear - decide Y N may Sbound. variables Y.
      + now apply Sbound.
      + destruct (decide (Source c_0 = p /\ k_1 = bound c_0)); tauto.
      + specialize (Y8 p_0). tauto.
    - eapply step_stands with (15 := Y); eauto; sides.
  Qed.

  Lemma accept_marker_simulated l l' x c : stands l x -> ChandyLamport_Inv x -> AcceptMarker l l' c ->
    exists y, (exists k mark, ChandyLamport_AcceptMarker x y c k mark) /\ stands l' y.
  Proof.
    intros S I (head & body & O & none & step). pose proof S as (Sstate & Sred & _ & [bound Sbound] & _).
    destruct (proj1 step c _ (proj1 O)) as [_ [q Q]]. destruct (head_stands l x c _ q bound S I Sbound Q) as (C & first & here).
    set (k := least (chan x c) (bound c)) in *. simpl in here.
    destruct (is_moved x (Target c) (l_state l (Target c)) (fun d => d = c) (fun _ => k) (fun _ => False) (fun _ => 0) (fun c => msg x c 0)
      (fun d => Source d = Target c /\ ~ red x (Target c)) bound (~ red x (Target c)) (red x (Target c))) as [y Y]. exists y. split.
    - exists k, bound. unfold ChandyLamport_AcceptMarker. rewrite <- Sstate in Y. clear - decide Y C first here Sbound. variables Y.
      + now apply Sbound.
      + destruct (decide (Source c_0 = Target c /\ ~ red x (Target c) /\ k_1 = bound c_0)); tauto.
      + specialize (Y8 p_0). tauto.
    - eapply step_stands with (15 := Y); eauto; sides.
      + now apply negb_true_iff.
      + rewrite Sred, negb_true_iff, <- not_true_iff_false. tauto.
      + rewrite Sred, negb_true_iff, <- not_true_iff_false. tauto.
  Qed.
  Lemma exchange_simulated l l' x p : stands l x -> ChandyLamport_Inv x -> Exchange l l' p ->
    exists y, (exists t takes at_ gives new body mark red, ChandyLamport_Exchange x y p t takes at_ gives new body mark red) /\ stands l' y.
  Proof.
    intros sx I (s & head & body & am & action & app & marked & colour & two & step). pose proof sx as (Sstate & Sred & _ & [bound Sbound] & _).
    set (at_ := fun c => least (chan x c) (bound c)). set (takes := fun c => exists e, head c = Some e).
    set (gives := fun c => exists m, body c = Some m).
    assert (heads : forall c e, head c = Some e -> chan x c (at_ c) /\ (forall j, chan x c j -> j = at_ c \/ j > at_ c) /\ element_at x c (at_ c) e).
    { intros c e H. destruct (proj1 step c e H) as [_ [q Q]]. exact (head_stands l x c e q bound sx I Sbound Q). }
    set (turning := ~ red x p /\ exists c, takes c /\ isMarker x c (at_ c)).
    assert (turn : turning <-> negb (Colour l p) && am = true).
    { unfold turning. rewrite andb_true_iff, negb_true_iff, <- not_true_iff_false, Sred, marked. apply and_iff_compat_l.
      split; intros [c C]; exists c.
      - destruct C as [[e E] M]. rewrite E. destruct e as [m r|]; [|auto]. destruct (heads c _ E) as (_ & _ & N & _). now destruct N.
      - split; [now exists marker|]. now destruct (heads c _ C) as (_ & _ & M). }
    destruct (is_moved x p s takes at_ gives (fun c => if action then S (bound c) else bound c)
      (fun c => match body c with Some m => m | None => msg x c 0 end)
      (fun c => Source c = p /\ turning) (fun c => if action then bound c else S (bound c)) turning (action = true)) as [y Y].
    exists y. split.
    - exists s, takes, at_, gives, (fun c => if action then S (bound c) else bound c),
        (fun c => match body c with Some m => m | None => msg x c 0 end), (fun c => if action then bound c else S (bound c)), (action = true).
      unfold ChandyLamport_Exchange.
      assert (outs : forall c, gives c -> Source c = p) by (intros c [m M]; eapply step; eauto).
      assert (ins : forall c, takes c -> Target c = p /\ chan x c (at_ c) /\ (forall j, chan x c j -> j = at_ c \/ j > at_ c)).
      { intros c [e E]. destruct (heads c e E) as (C & F & _). split; [eapply step; eauto|auto]. }
      assert (there' : forall {A} (o : option A), o <> None -> exists a, o = Some a) by (intros A [a|] N; [eauto|easy]).
      assert (touched : (exists c d, takes c /\ takes d /\ c <> d) \/ (exists c d, gives c /\ gives d /\ c <> d) \/
        (exists c d, takes c /\ gives d)).
      { destruct two as [(c & d & A & B & N)|[(c & d & A & B & N)|(c & d & A & B)]]; apply there' in A, B; [left|right; left|right; right];
          exists c, d; auto. }
      assert (idle : (exists c, takes c /\ ~ isMarker x c (at_ c)) \/ (exists c, gives c) \/ s = state x p).
      { destruct (decide (exists c, takes c /\ ~ isMarker x c (at_ c))) as [|N]; [auto|].
        destruct (decide (exists c, gives c)) as [|N']; [auto|]. right; right. rewrite Sstate. apply (ExchangingNothing _ _ _ _ _ app).
        - intro c. unfold Messages. destruct (head c) as [[m r|]|] eqn:H; auto. destruct N. exists c.
          destruct (heads c _ H) as (_ & _ & N & _). split; [now exists (message m r)|auto].
        - intro c. destruct (body c) as [m|] eqn:H; auto. destruct N'. exists c. now exists m. }
      assert (coloured : ~ turning -> (action = true <-> red x p)).
      { intro N. rewrite turn, not_true_iff_false in N. now rewrite Sred, (colour N). }
      unfold ChandyLamport_Exchange. clear - decide Y outs ins Sbound touched idle coloured.
      assert (later : forall c j, sent x c j -> (if action then S (bound c) else bound c) > j /\ (if action then bound c else S (bound c)) > j).
      { intros c j J. apply Sbound in J. destruct action; lia. }
      destruct Y as [Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10 Y11 Y12]. splits;
        [| | |exact outs|exact ins|exact touched|exact idle|exact coloured|exact Y1| | |exact Y4|exact Y5| | |exact Y8
         |exact Y9|exact Y10|exact Y11|exact Y12].
      + intros c V j J. now apply later.
      + intros c M j J. now apply later.
      + intros c M. destruct action; split; intro; try easy; hnf; lia.
      + intros c k. rewrite Y2. unfold turning. clear. tauto.
      + intros c k. rewrite Y3. unfold turning. clear. tauto.
      + intros c k. rewrite Y6. assert (D := decide (Source c = p /\ turning /\ k = if action then bound c else S (bound c))).
        unfold turning in *. clear - D. tauto.
      + intro q. rewrite Y7. unfold turning. clear. tauto.
    - clear two app ExchangingNothing. eapply step_stands with (15 := Y); eauto; sides.
      + match goal with H : _ && _ = true |- _ => apply andb_true_iff in H as [H _]; now apply negb_true_iff end.
      + match goal with H : takes _ |- _ => destruct H as [e E]; destruct (heads _ _ E) as (? & ? & _); auto end.
      + match goal with E : body _ = Some _ |- _ => now rewrite E end.
      + match goal with H : sent _ _ _ |- _ => apply Sbound in H; destruct action; lia end.
      + match goal with H : sent _ _ _ |- _ => apply Sbound in H; destruct action; lia end.
      + destruct action; lia.
  Qed.

  Theorem next_simulated l l' x : stands l x -> ChandyLamport_Inv x -> Next l l' ->
    exists y, ChandyLamport_Next x y /\ stands l' y.
  Proof.
    intros S I [[c T]|[[c T]|[[p T]|[[p T]|[[p T]|[c T]]]]]].
    - destruct (accept_simulated _ _ _ _ S I T) as (y & (k & t & mark & T') & S'). exists y. split; [right; left; exists c|]; eauto.
    - destruct (send_simulated _ _ _ _ S I T) as (y & (k & m & t & mark & T') & S'). exists y. split; [left; exists c|]; eauto.
    - destruct (internal_simulated _ _ _ _ S I T) as (y & (t & mark & T') & S'). exists y. split; [do 2 right; left; exists p|]; eauto.
    - destruct (exchange_simulated _ _ _ _ S I T) as (y & T' & S'). exists y. split; [do 3 right; left; exists p|]; eauto.
    - destruct (initiate_simulated _ _ _ _ S I T) as (y & (mark & T') & S'). exists y. split; [do 4 right; left; exists p|]; eauto.
    - destruct (accept_marker_simulated _ _ _ _ S I T) as (y & (k & mark & T') & S'). exists y. split; [do 5 right; exists c|]; eauto.
  Qed.

  Lemma same_stands l l' x : stands l x -> same l l' -> stands l' x.
  Proof.
    intros (A & B & C & D & E) [P Q]. split; [|split; [|split; [|split; [auto|]]]].
    - intro p. rewrite (proj1 (P p)). apply A.
    - intro p. unfold Colour. rewrite (proj2 (P p)). apply B.
    - intros p s. rewrite (proj2 (P p)). apply C.
    - intro c. unfold in_channel. destruct (Q c) as (-> & -> & -> & -> & -> & ->). apply E.
  Qed.
End ChandyLamport.
