------------------------- MODULE ColouredCheckpoints --------------------------
(***************************************************************************)
(* One theory for Flink: seen through the colours of a single checkpoint,  *)
(* `Checkpoints' is EWD864a's `WhiteRed'.  For checkpoint n, a task is red *)
(* once it has recorded its state for n, and a record is red if it was     *)
(* sent by a red task.  As long as n is not given up, every step of the    *)
(* stream processor is a step of `WhiteRed', or none: so what holds of all *)
(* snapshots there (E4, E7) holds of every checkpoint that is completed.   *)
(*                                                                         *)
(* The mapping, for checkpoint n:                                          *)
(*   state     is the same                                                 *)
(*   chan      the records in a channel, the first whites[n][c] of them    *)
(*             white, and the others red; without barriers, cancellations  *)
(*             and ends                                                    *)
(*   recState  recorded[n]                                                 *)
(*   recChan   whiteInRed[n]                                               *)
(*                                                                         *)
(* It differs from `Checkpoints' in its ghosts only, and from `Barriers'   *)
(* in that there are several checkpoints.  A crash, which no computation   *)
(* knows, and the end of a source, which records no more, are beyond it:   *)
(* MaxCrashes and Ends are 0.                                              *)
(*                                                                         *)
(*   E. W. Dijkstra, EWD864a, 1983.                                        *)
(***************************************************************************)
EXTENDS Checkpoints

VARIABLES
  \* Ghosts: no task can see them.
  recorded,   \* [id -> [process that recorded its state for it -> that state]]
  whites,     \* [id -> [channel -> how many of the records in it are white]]
  whiteInRed  \* [id -> [channel -> the white records accepted from it by its red target]]

ghosts == <<recorded, whites, whiteInRed>>
kvars  == <<vars, ghosts>>

ASSUME NothingBeyond == MaxCrashes = 0 /\ Ends = 0

KInit ==
  /\ Init
  /\ recorded   = [n \in Id |-> << >>]
  /\ whites     = [n \in Id |-> [c \in ChannelsOf[topo] |-> 0]]
  /\ whiteInRed = [n \in Id |-> [c \in ChannelsOf[topo] |-> << >>]]

------------------------------------------------------------------------------

(* In this step p records its state for checkpoint n: it keeps a copy of    *)
(* the state while it waits for barriers or until that is durable, or       *)
(* acknowledges at once.                                                    *)
TurnsRed(p, n) == /\ p \notin DOMAIN recorded[n]
                  /\ n \in DOMAIN copies'[p] \/ n \in DOMAIN uploads'[p] \/ p \in DOMAIN acks'[n]

(* In this step the first record of c is accepted.                          *)
Accepted(c) == Len(RecordsIn(chan'[c])) < Len(RecordsIn(chan[c]))

(* The ghosts only watch.  Of a checkpoint that is aborted they forget.     *)
Observe ==
  /\ recorded' = [n \in Id |->
       IF n \in aborted' THEN << >>
       ELSE [p \in DOMAIN recorded[n] \cup {q \in ProcessesOf[topo] : TurnsRed(q, n)} |->
               IF p \in DOMAIN recorded[n] THEN recorded[n][p] ELSE state[p]]]
  /\ whites' = [n \in Id |-> [c \in ChannelsOf[topo] |->
       IF n \in aborted' THEN 0
       ELSE IF Source(c) \notin DOMAIN recorded[n] THEN Len(RecordsIn(chan'[c]))
       ELSE IF Accepted(c) /\ whites[n][c] > 0 THEN whites[n][c] - 1
       ELSE whites[n][c]]]
  /\ whiteInRed' = [n \in Id |-> [c \in ChannelsOf[topo] |->
       IF n \in aborted' THEN << >>
       ELSE IF Accepted(c) /\ Target(c) \in DOMAIN recorded[n] /\ whites[n][c] > 0
       THEN Append(whiteInRed[n][c], RecordsIn(chan[c])[1])
       ELSE whiteInRed[n][c]]]

KSend(c)          == Send(c)          /\ Observe
KAccept(c)        == Accept(c)        /\ Observe
KAcceptBarrier(c) == AcceptBarrier(c) /\ Observe
KAnnounce(c)      == Announce(c)      /\ Observe
KAcceptCancel(c)  == AcceptCancel(c)  /\ Observe
KInject(p)        == Inject(p)        /\ Observe
KDecline(p)       == Decline(p)       /\ Observe
KTimeOut(p)       == TimeOut(p)       /\ Observe
KAcknowledge(p, n) == Acknowledge(p, n) /\ Observe
KCommit(p)        == Commit(p)        /\ Observe
KTrigger          == Trigger          /\ Observe

KNext ==
  \/ \E c \in Channel : KSend(c)
  \/ \E c \in Channel : KAccept(c)
  \/ \E c \in Channel : KAcceptBarrier(c)
  \/ \E c \in Channel : KAnnounce(c)
  \/ \E c \in Channel : KAcceptCancel(c)
  \/ \E p \in Process : KInject(p)
  \/ \E p \in Process : KDecline(p)
  \/ \E p \in Process : KTimeOut(p)
  \/ \E p \in Process : \E n \in Id : KAcknowledge(p, n)
  \/ \E p \in Process : KCommit(p)
  \/ KTrigger

KSpec == KInit /\ [][KNext]_kvars

------------------------------------------------------------------------------

(* The records in c, with their colours for checkpoint n.                   *)
ColouredFor(n, c) ==
  LET q == RecordsIn(chan[c])
  IN  [i \in DOMAIN q |-> [msg |-> q[i], colour |-> IF i <= whites[n][c] THEN "white" ELSE "red"]]

WR(n) == INSTANCE WhiteRed WITH
           chan     <- [c \in DOMAIN chan |-> ColouredFor(n, c)],
           recState <- recorded[n],
           recChan  <- whiteInRed[n]

(* Checkpoint n is aborted, or some task is beyond it without a record of   *)
(* its state.  A task may be so without aborting n: it drops what is pending*)
(* when a later checkpoint is cancelled, and is silent.                     *)
GivenUp(n) ==
  n \in aborted \/ \E p \in ProcessesOf[topo] : task[p].last >= n /\ p \notin DOMAIN recorded[n]

(* What is seen of checkpoint n begins as WhiteRed does, and every step is  *)
(* one of WhiteRed or changes nothing of it, unless n is given up, which    *)
(* one that is complete never is.                                           *)
RefinesWhiteRed ==                                                                   \* A5, A6, A10, A11
  /\ \A n \in Id : WR(n)!Init
  /\ [][\A n \in Id : (GivenUp(n)' /\ n \notin completed') \/ WR(n)!Next \/ UNCHANGED WR(n)!vars]_kvars

(* What a complete checkpoint restores is SSS: the states at turning red,   *)
(* and the white records that red tasks have accepted, or will.             *)
RecordedIsSSS ==                                                                     \* E6, A5, A6, A10, A11
  \A n \in completed : IsWhole(n) =>
    /\ \A p \in ProcessesOf[topo] : acks[n][p].state = recorded[n][p]
    /\ \A c \in ChannelsOf[topo] :
         acks[n][Target(c)].log[c] = whiteInRed[n][c] \o SubSeq(RecordsIn(chan[c]), 1, whites[n][c])

------------------------------------------------------------------------------

THEOREM Mode # "at-least-once" /\ KSpec => RefinesWhiteRed
THEOREM Mode # "at-least-once" /\ KSpec => []RecordedIsSSS
==============================================================================
