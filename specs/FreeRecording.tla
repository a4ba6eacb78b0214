---------------------------- MODULE FreeRecording ----------------------------
(***************************************************************************)
(* No algorithm at all: every process and every channel is recorded at a   *)
(* moment of its own.  It shows what an algorithm has to see to, and how a *)
(* recording goes wrong that does not.                                     *)
(*                                                                         *)
(* For each channel, four numbers tell whether the recordings fit          *)
(* together; a prime in the paper is a C, for channel, here:               *)
(*   n    messages sent before the source's state was recorded             *)
(*   nC   messages sent before the channel's state was recorded       (n') *)
(*   m    messages accepted before the target's state was recorded         *)
(*   mC   messages accepted before the channel's state was recorded   (m') *)
(* Until then each is the number so far.                                   *)
(*                                                                         *)
(* It differs from its siblings in that it refines nothing, has no colours *)
(* and knows events only.                                                  *)
(*                                                                         *)
(*   K. M. Chandy and L. Lamport, "Distributed Snapshots: Determining      *)
(*   Global States of Distributed Systems", TOCS 3(1), 1985, section 3.1.  *)
(***************************************************************************)
EXTENDS Application

VARIABLES
  topo,          \* the name of the graph; it never changes
  state,         \* [process -> its local state]
  chan,          \* [channel -> the messages in it, first to be accepted first]
  recState,      \* recorded states: a function on the processes that have been recorded
  recChan,       \* recorded channels: a function on the channels that have been recorded
  n, nC, m, mC   \* [channel -> a number of messages]

vars == <<topo, state, chan, recState, recChan, n, nC, m, mC>>

ASSUME EventsOnly == Granularity = "event"

C == INSTANCE Computation

Init ==
  /\ C!Init
  /\ recState = << >>
  /\ recChan  = << >>
  /\ n  = [c \in ChannelsOf[topo] |-> 0]
  /\ nC = n
  /\ m  = n
  /\ mC = n

------------------------------------------------------------------------------

(* Counts one more on c, unless what closes the count has been recorded.    *)
Counted(f, c, recorded) == IF recorded THEN f ELSE [f EXCEPT ![c] = @ + 1]

ProcessRecorded(p) == p \in DOMAIN recState
ChannelRecorded(c) == c \in DOMAIN recChan

Send(c) ==
  /\ C!Send(c)
  /\ n'  = Counted(n, c, ProcessRecorded(Source(c)))
  /\ nC' = Counted(nC, c, ChannelRecorded(c))
  /\ UNCHANGED <<recState, recChan, m, mC>>

Accept(c) ==
  /\ C!Accept(c)
  /\ m'  = Counted(m, c, ProcessRecorded(Target(c)))
  /\ mC' = Counted(mC, c, ChannelRecorded(c))
  /\ UNCHANGED <<recState, recChan, n, nC>>

Internal(p) ==
  /\ C!Internal(p)
  /\ UNCHANGED <<recState, recChan, n, nC, m, mC>>

RecordProcess(p) ==
  /\ p \in ProcessesOf[topo]
  /\ ~ProcessRecorded(p)
  /\ recState' = recState @@ (p :> state[p])
  /\ UNCHANGED <<topo, state, chan, recChan, n, nC, m, mC>>

RecordChannel(c) ==
  /\ c \in ChannelsOf[topo]
  /\ ~ChannelRecorded(c)
  /\ recChan' = recChan @@ (c :> chan[c])
  /\ UNCHANGED <<topo, state, chan, recState, n, nC, m, mC>>

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : RecordProcess(p)
  \/ \E c \in Channel : RecordChannel(c)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------

TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ DOMAIN recState \subseteq ProcessesOf[topo]
  /\ DOMAIN recChan \subseteq ChannelsOf[topo]
  /\ {n, nC, m, mC} \subseteq [ChannelsOf[topo] -> Nat]

Complete ==
  /\ DOMAIN recState = ProcessesOf[topo]
  /\ DOMAIN recChan = ChannelsOf[topo]

(* A channel's recorded state is messages mC+1..nC.                         *)
InTransit == \A c \in DOMAIN recChan : Len(recChan[c]) = nC[c] - mC[c]

Fits(c) == n[c] = nC[c] /\ m[c] = mC[c] /\ nC[c] >= mC[c]

(* What is recorded fits together.  It need not: this is to be violated.    *)
Consistent == Complete => \A c \in ChannelsOf[topo] : Fits(c)

(* If it does, the snapshot obeys the law of the application's states.      *)
ConsistentConserves ==
  Complete /\ (\A c \in ChannelsOf[topo] : Fits(c)) => Conserved(recState, recChan)

Computes == C!Spec

------------------------------------------------------------------------------

THEOREM Spec => []TypeOK
THEOREM Spec => []InTransit
THEOREM Spec => []ConsistentConserves
THEOREM Spec => Computes
==============================================================================
