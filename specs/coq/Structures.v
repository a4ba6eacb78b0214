(* What the obligations speak of: a graph, an application's local states and messages, ordered positions, and the
   variables of a state.  The solvers prove them for every such structure that has one of everything. *)

Record structure := {
  Process : Type; Channel : Type; Position : Type; State : Type; Message : Type;
  source : Channel -> Process;
  target : Channel -> Process;
  initiator : Process -> Prop;
  above : Position -> Position -> Prop
}.

Arguments source {_} _.
Arguments target {_} _.
Arguments initiator {_} _.
Arguments above {_} _ _.

(* The variables; each module has some of them.  A channel is a set of positions. *)
Record values (G : structure) := {
  state : Process G -> State G;
  chan : Channel G -> Position G -> Prop;
  sent : Channel G -> Position G -> Prop;
  msg : Channel G -> Position G -> Message G;
  isRed : Channel G -> Position G -> Prop;
  isMarker : Channel G -> Position G -> Prop;
  red : Process G -> Prop;
  recState : Process G -> State G;
  recChan : Channel G -> Position G -> Prop;
  closed : Channel G -> Prop;
  whiteInRed : Channel G -> Position G -> Prop;
  redInWhite : Channel G -> Position G -> Prop
}.

Arguments state {_} _ _.
Arguments chan {_} _ _ _.
Arguments sent {_} _ _ _.
Arguments msg {_} _ _ _.
Arguments isRed {_} _ _ _.
Arguments isMarker {_} _ _ _.
Arguments red {_} _ _.
Arguments recState {_} _ _.
Arguments recChan {_} _ _ _.
Arguments closed {_} _ _.
Arguments whiteInRed {_} _ _ _.
Arguments redInWhite {_} _ _ _.
