(* Positions for sequences: what stands at a set of ordered positions, in their order, is a sequence; and Append, Head,
   Tail and SelectSeq of it are what stands at one position more, at the least one, at the others, at the selected ones. *)
From Coq Require Import List Sorted Arith Lia.
Import ListNotations.

Section Sequences.
  Context {Position : Type} (above : Position -> Position -> Prop).
  Hypothesis irreflexive : forall k, ~ above k k.
  Hypothesis transitive : forall i j k, above i j -> above j k -> above i k.

  Definition in_order : list Position -> Prop := StronglySorted (fun j k => above k j).

  (* The elements of q stand at the positions of P, in their order; `stands k e' says that e stands at k. *)
  Definition reads {E : Type} (P : Position -> Prop) (stands : Position -> E -> Prop) (q : list E) : Prop :=
    exists ks, in_order ks /\ (forall k, In k ks <-> P k) /\ Forall2 stands ks q.

  Lemma in_order_unique ks : in_order ks ->
    forall js, in_order js -> (forall k, In k ks <-> In k js) -> ks = js.
  Proof.
    unfold in_order. induction 1 as [|k ks S IH F]; intros [|j js] S' same; auto.
    - destruct (proj2 (same j) (in_eq _ _)).
    - destruct (proj1 (same k) (in_eq _ _)).
    - apply StronglySorted_inv in S' as [S' F']. rewrite Forall_forall in F, F'.
      assert (k = j) as <-.
      { destruct (proj1 (same k) (in_eq _ _)) as [|K]; [auto|]. destruct (proj2 (same j) (in_eq _ _)) as [|J]; [auto|].
        destruct (irreflexive k). eauto. }
      f_equal. apply IH; auto. intro i. split; intro I.
      + destruct (proj1 (same i) (in_cons _ _ _ I)) as [<-|]; [|auto]. destruct (irreflexive k). auto.
      + destruct (proj2 (same i) (in_cons _ _ _ I)) as [<-|]; [|auto]. destruct (irreflexive k). auto.
  Qed.

  Section OfElements.
    Context {E : Type}.
    Implicit Types (P : Position -> Prop) (stands : Position -> E -> Prop) (q : list E).

    Lemma reads_nothing P stands : (forall k, ~ P k) -> reads P stands [].
    Proof. intro none. exists []. split; [constructor|]. split; [|constructor]. intro k. split; [easy|apply none]. Qed.

    Lemma reads_same P P' stands stands' q :
      (forall k, P k <-> P' k) -> (forall k e, P k -> stands k e -> stands' k e) -> reads P stands q -> reads P' stands' q.
    Proof.
      intros same keeps [ks [o [i f]]]. exists ks. split; [auto|]. split; [now intro k; rewrite i|].
      assert (P'' : forall k, In k ks -> P k) by (intro; apply i). clear o i same.
      induction f; constructor; auto using in_eq, in_cons.
    Qed.

    (* Append *)
    Lemma reads_append P stands q k e :
      (forall j, P j -> above k j) -> stands k e -> reads P stands q -> reads (fun j => P j \/ j = k) stands (q ++ [e]).
    Proof.
      intros behind here [ks [o [i f]]]. exists (ks ++ [k]). split; [|split].
      - assert (b' : forall j, In j ks -> above k j) by (intros j J; now apply behind, i). clear i f behind.
        unfold in_order in *. induction o as [|j js S IH F]; simpl; repeat constructor.
        + apply IH. auto using in_cons.
        + apply Forall_app. split; [auto|]. constructor; auto using in_eq.
      - intro j. rewrite in_app_iff, i. simpl. intuition auto.
      - apply Forall2_app; auto.
    Qed.

    (* Head and Tail *)
    Lemma reads_cons P stands e q : reads P stands (e :: q) ->
      exists k, P k /\ (forall j, P j -> j = k \/ above j k) /\ stands k e /\ reads (fun j => P j /\ j <> k) stands q.
    Proof.
      intros [ks [o [i f]]]. inversion f as [|k e' ks' q' here f']; subst. apply StronglySorted_inv in o as [o F].
      rewrite Forall_forall in F. exists k. split; [apply i; now left|]. split.
      - intros j J. apply i in J as [<-|J]; auto.
      - split; [auto|]. exists ks'. split; [auto|]. split; [|auto]. intro j. split.
        + intro J. split; [apply i; now right|]. intros ->. destruct (irreflexive k). auto.
        + intros [J N]. apply i in J as [<-|J]; easy.
    Qed.

    Lemma reads_first P stands q k : reads P stands q -> P k -> (forall j, P j -> j = k \/ above j k) ->
      exists e q', q = e :: q' /\ stands k e.
    Proof.
      intros R K least. destruct q as [|e q].
      - destruct R as [ks [_ [i f]]]. inversion f; subst. now apply i in K.
      - destruct (reads_cons _ _ _ _ R) as [j [J [least' [here _]]]]. exists e, q.
        destruct (least j J) as [->|A]; [auto|]. destruct (least' k K) as [->|A']; [auto|].
        destruct (irreflexive j). eauto.
    Qed.

    (* SelectSeq *)
    Lemma reads_select P stands q (chosen : Position -> Prop) (choose : E -> bool) :
      (forall k e, P k -> stands k e -> (chosen k <-> choose e = true)) ->
      reads P stands q -> reads (fun k => P k /\ chosen k) stands (filter choose q).
    Proof.
      intros says [ks [o [i f]]].
      assert (all : forall k, In k ks -> P k) by (intro; apply i).
      enough (X : exists js, in_order js /\ (forall k, In k js <-> In k ks /\ chosen k)
                /\ Forall2 stands js (filter choose q)).
      { destruct X as [js [o' [i' f']]]. exists js. split; [auto|]. split; [|auto]. intro k. now rewrite i', i. }
      clear i. induction f as [|k e ks q here f IH]; [exists []; simpl; split; [constructor|split; [easy|constructor]]|].
      apply StronglySorted_inv in o as [o F]. rewrite Forall_forall in F.
      destruct IH as [js [o' [i' f']]]; auto using in_cons. simpl.
      assert (S := says k e (all k (in_eq _ _)) here). destruct (choose e).
      - exists (k :: js). split; [constructor; [auto|]; rewrite Forall_forall; intros j J; apply F, i', J|].
        split; [|constructor; auto]. intro j. simpl. rewrite i'. intuition (subst; tauto).
      - exists js. split; [auto|]. split; [|auto]. intro j. rewrite i'. simpl. intuition (subst; intuition discriminate).
    Qed.

    (* Two selections are equal if the same positions are selected. *)
    Lemma reads_unique P stands q q' :
      (forall k e e', P k -> stands k e -> stands k e' -> e = e') -> reads P stands q -> reads P stands q' -> q = q'.
    Proof.
      intros one [ks [o [i f]]] [js [o' [i' f']]].
      assert (ks = js) as <- by (apply in_order_unique; auto; intro k; now rewrite i, i').
      assert (all : forall k, In k ks -> P k) by (intro; apply i). clear o o' i i'.
      revert q' f'. induction f as [|k e ks q here f IH]; intros q' f'; inversion f'; subst; auto.
      f_equal; [apply (one k); auto using in_eq|apply IH; auto using in_cons].
    Qed.

    Lemma reads_empty P stands : reads P stands [] -> forall k, ~ P k.
    Proof. intros [ks [_ [i f]]] k K. inversion f; subst. now apply i in K. Qed.

    Lemma reads_finite P stands q : reads P stands q -> exists ks, NoDup ks /\ (forall k, In k ks <-> P k) /\ length ks = length q.
    Proof.
      intros [ks [o [i f]]]. exists ks. split; [|split; [auto|clear o i; induction f; simpl; auto]].
      clear i f. unfold in_order in o. induction o as [|k ks S IH F]; constructor; auto. rewrite Forall_forall in F.
      intro K. destruct (irreflexive k). auto.
    Qed.

    (* An element of the sequence stands somewhere, and what stands somewhere is in the sequence. *)
    Lemma reads_in P stands q e : reads P stands q -> In e q -> exists k, P k /\ stands k e.
    Proof.
      intros [ks [_ [i f]]] I. assert (all : forall k, In k ks -> P k) by (intro; apply i). clear i.
      induction f; [easy|]. destruct I as [<-|I]; [eauto using in_eq|]. apply IHf; auto using in_cons.
    Qed.

    Lemma reads_at P stands q k : reads P stands q -> P k -> exists e, In e q /\ stands k e.
    Proof.
      intros [ks [_ [i f]]] K. apply i in K. clear i.
      induction f as [|j e ks q here f IH]; [easy|]. destruct K as [<-|K]; [exists e; split; [now left|auto]|].
      destruct (IH K) as [e' [I H]]. exists e'. split; [now right|auto].
    Qed.

    (* What stands before what in the sequence stands at a lower position. *)
    Lemma reads_before P stands q1 e q2 e' q3 : reads P stands (q1 ++ e :: q2 ++ e' :: q3) ->
      exists j k, P j /\ P k /\ stands j e /\ stands k e' /\ above k j.
    Proof.
      intros [ks [o [i f]]]. apply Forall2_app_inv_r in f as (js & ls & _ & f & ->).
      inversion f as [|j e0 ls' q0 J f']; subst. apply Forall2_app_inv_r in f' as (ls1 & ls2 & _ & f' & ->).
      inversion f' as [|k e1 ls3 q4 K _]; subst. exists j, k. split; [apply i; rewrite in_app_iff; simpl; auto|].
      split; [apply i; rewrite in_app_iff; simpl; rewrite in_app_iff; simpl; auto|]. split; [auto|]. split; [auto|].
      assert (o' : in_order (j :: ls1 ++ k :: ls3)).
      { clear - o. unfold in_order in *. induction js as [|a js IH]; [auto|]. apply IH. now apply StronglySorted_inv in o. }
      apply StronglySorted_inv in o' as [_ F]. rewrite Forall_forall in F. apply F. rewrite in_app_iff. simpl. auto.
    Qed.
  End OfElements.

  Lemma reads_map {E F : Type} (P : Position -> Prop) (stands : Position -> E -> Prop) (stands' : Position -> F -> Prop) g q :
    (forall k e, P k -> stands k e -> stands' k (g e)) -> reads P stands q -> reads P stands' (map g q).
  Proof.
    intros says [ks [o [i f]]]. exists ks. split; [auto|]. split; [auto|].
    assert (all : forall k, In k ks -> P k) by (intro; apply i). clear o i.
    induction f; simpl; constructor; auto using in_eq, in_cons.
  Qed.
End Sequences.
