---------------------------- MODULE StopTheWorld -----------------------------
(***************************************************************************)
(* The baseline: a snapshot taken while nothing moves.  Two ways to it:    *)
(*                                                                         *)
(*   RecordAll   EWD864a's remark: all processes record in one instant;    *)
(*               the channels are recorded as found.                       *)
(*   Pause, drain, Record, Resume                                          *)
(*               a paused process accepts but does not send; once all are  *)
(*               paused and the channels have drained, each records, and   *)
(*               once all have recorded, each resumes.  Channel states are *)
(*               empty.                                                    *)
(*                                                                         *)
(* It differs from `ChandyLamport' in that there are no markers: a         *)
(* controller that sees everything gives the commands.                     *)
(***************************************************************************)
EXTENDS Colours

(* Of `Colours' are topo, state, chan, recState and recChan.                *)
VARIABLES
  paused,      \* the paused processes
  \* Ghosts: no process can see them.  (So is a message's colour.)
  whiteInRed,  \* [channel -> the white messages accepted from it in red actions]
  redInWhite   \* [channel -> the red messages accepted from it in white actions]

vars == <<topo, state, chan, recState, recChan, paused, whiteInRed, redInWhite>>

(* Channels are recorded with all processes at once, or as empty.           *)
TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : \A i \in DOMAIN chan[c] : chan[c][i].colour \in {"white", "red"}
  /\ Red \subseteq ProcessesOf[topo]
  /\ DOMAIN recChan = ChannelsOf[topo]
  /\ (\E c \in ChannelsOf[topo] : recChan[c] # << >>) => Red = ProcessesOf[topo]
  /\ paused \subseteq ProcessesOf[topo]
  /\ DOMAIN whiteInRed = ChannelsOf[topo]
  /\ DOMAIN redInWhite = ChannelsOf[topo]

Init ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> << >>]
  /\ recState   = << >>
  /\ recChan    = [c \in ChannelsOf[topo] |-> << >>]
  /\ paused     = {}
  /\ whiteInRed = [c \in ChannelsOf[topo] |-> << >>]
  /\ redInWhite = [c \in ChannelsOf[topo] |-> << >>]

------------------------------------------------------------------------------

(* What the controller waits for before it gives a command.                 *)
Drained      == \A c \in ChannelsOf[topo] : chan[c] = << >>
AllPaused    == paused = ProcessesOf[topo]
MayRecord(p) == p \in paused \ Red /\ AllPaused /\ Drained
MayResume    == Red = ProcessesOf[topo]

------------------------------------------------------------------------------

(* What the actions Accept and Exchange of p show to the ghosts: `taken' is *)
(* [channel -> the message accepted from it].                               *)
Observe(p, taken) ==
  /\ whiteInRed' = IF Colour(p) = "red" THEN Noted(whiteInRed, taken, "white") ELSE whiteInRed
  /\ redInWhite' = IF Colour(p) = "white" THEN Noted(redInWhite, taken, "red") ELSE redInWhite

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ Source(c) \notin paused
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, Sent(c, m, Colour(p)))]
  /\ UNCHANGED <<topo, recState, recChan, paused, whiteInRed, redInWhite>>

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET e == chan[c][i] IN
       /\ Acceptable(p, c, state[p], e.msg)
       /\ state' = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
       /\ chan'  = [chan EXCEPT ![c] = Without(@, i)]
       /\ Observe(p, c :> e)
  /\ UNCHANGED <<topo, recState, recChan, paused>>

Internal(p) ==
  /\ p \in ProcessesOf[topo] \ paused
  /\ \E s \in Internals(p, state[p]) : state' = [state EXCEPT ![p] = s]
  /\ UNCHANGED <<topo, chan, recState, recChan, paused, whiteInRed, redInWhite>>

Exchange(p) ==                                                                       \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in Acceptables(p, state[p], [c \in InputsOf[topo][p] |-> Plain(chan[c])]),
        B \in SUBSET (IF p \in paused THEN {} ELSE OutputsOf[topo][p]) :
       LET taken == [c \in A |-> Head(chan[c])] IN
       /\ Cardinality(A) + Cardinality(B) >= 2
       /\ \A c \in B : Room(chan[c])
       /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], [c \in A |-> taken[c].msg]), B) :
            /\ state' = [state EXCEPT ![p] = r[1]]
            /\ chan'  = Exchanged(chan, A, Coloured(r[2], Colour(p)))
       /\ Observe(p, taken)
  /\ UNCHANGED <<topo, recState, recChan, paused>>

(* The global state as it is found is what is recorded.                     *)
RecordAsFound ==                                                                     \* E6
  /\ recState' = state
  /\ recChan'  = [c \in DOMAIN chan |-> Plain(chan[c])]

RecordAll ==
  /\ Red = {}
  /\ paused = {}
  /\ RecordAsFound
  /\ UNCHANGED <<topo, state, chan, paused, whiteInRed, redInWhite>>

Pause(p) ==
  /\ p \in ProcessesOf[topo] \ paused
  /\ Red = {}
  /\ paused' = paused \cup {p}
  /\ UNCHANGED <<topo, state, chan, recState, recChan, whiteInRed, redInWhite>>

Record(p) ==
  /\ p \in ProcessesOf[topo]
  /\ MayRecord(p)
  /\ recState' = (p :> state[p]) @@ recState
  /\ UNCHANGED <<topo, state, chan, recChan, paused, whiteInRed, redInWhite>>

(* Process p goes on, and keeps what it has recorded.                       *)
GoOn(p) ==                                                                           \* E1
  /\ paused' = paused \ {p}
  /\ UNCHANGED recState

Resume(p) ==
  /\ p \in paused \cap Red
  /\ MayResume
  /\ GoOn(p)
  /\ UNCHANGED <<topo, state, chan, recChan, whiteInRed, redInWhite>>

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ RecordAll
  \/ \E p \in Process : Pause(p)
  \/ \E p \in Process : Record(p)
  \/ \E p \in Process : Resume(p)

Spec == Init /\ [][Next]_vars

(* Every message is eventually accepted (E18), and the controller goes on   *)
(* until all have recorded, and lets them resume.                           *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(Accept(c))
  /\ \A p \in Process : WF_vars(Pause(p)) /\ WF_vars(Record(p)) /\ WF_vars(Resume(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

Complete == Red = ProcessesOf[topo]

(* The world goes on, and every message that was in a channel as the        *)
(* snapshot was taken has arrived.                                          *)
Over == /\ Complete
        /\ paused = {}
        /\ \A c \in ChannelsOf[topo] : Tinted(chan[c], "white") = << >>

TurnsRedOnce ==                                                                      \* E1
  [][\A p \in Red : p \in DOMAIN recState' /\ recState'[p] = recState[p]]_vars

NoRedInWhite ==                                                                      \* E4
  \A c \in ChannelsOf[topo] : redInWhite[c] = << >>

SnapshotConserves == Complete => Conserved(recState, recChan)                        \* E7

(* What was found in a channel is what red actions will have accepted.      *)
RecordedIsSSS ==                                                                     \* E6
  Complete => \A c \in ChannelsOf[topo] :
                recChan[c] = whiteInRed[c] \o Plain(Tinted(chan[c], "white"))

HoldsNobodyUp == HeldUp(Next, LAMBDA c : FALSE) = {}                                 \* E22

(* All that it holds up is what a paused process does but accept.           *)
HeldIsPaused ==                                                                      \* E22
  HeldUp(Next, LAMBDA c : FALSE)
    = {move \in ComputationSteps : move.by \in paused /\ (move.accepts = {} \/ DOMAIN move.sends # {})}

(* The computation as it is, without the colours.                           *)
Underlying == INSTANCE Computation WITH chan <- Visible

C == INSTANCE Computation WITH
       state <- [p \in DOMAIN state |-> IF p \in Red THEN recState[p] ELSE state[p]],
       chan  <- [c \in DOMAIN chan |-> IF Complete THEN recChan[c]
                                                   ELSE Plain(Tinted(chan[c], "white"))]

SSSReachable == C!Spec                                                               \* E7

WR == INSTANCE WhiteRed WITH recChan <- whiteInRed

RefinesWhiteRed == WR!Spec                                                           \* E13

(* It stays so, too.  (Where it is <>Complete, TurnsRedOnce says the rest.) *)
EventuallyComplete == <>[]Complete                                                   \* E18

AllRed == /\ Complete
          /\ \A c \in ChannelsOf[topo] : Tinted(chan[c], "white") = << >>

EventuallyAllRed == <>[]AllRed                                                       \* E3, E18

(* The world goes on.                                                       *)
EventuallyResumed == <>[](paused = {})                                               \* E18

------------------------------------------------------------------------------

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []HeldIsPaused
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesWhiteRed
THEOREM InputEnabled /\ FairSpec => EventuallyComplete
THEOREM InputEnabled /\ FairSpec => EventuallyAllRed
THEOREM InputEnabled /\ FairSpec => EventuallyResumed
==============================================================================
