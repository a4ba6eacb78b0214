---- MODULE IOUtils ----
LOCAL INSTANCE TLC
(* What CommunityModules do in Java: here are the names alone. TLC stops where one is evaluated, for it knows no such register. *)
IOSerialize(value, file, compress) == TLCGet("IOUtils!IOSerialize")
IODeserialize(file, compressed) == TLCGet("IOUtils!IODeserialize")
Serialize(value, file, options) == TLCGet("IOUtils!Serialize")
Deserialize(file, options) == TLCGet("IOUtils!Deserialize")
IOExec(command) == TLCGet("IOUtils!IOExec")
IOEnvExec(environment, command) == TLCGet("IOUtils!IOEnvExec")
IOExecTemplate(command, arguments) == TLCGet("IOUtils!IOExecTemplate")
IOEnvExecTemplate(environment, command, arguments) == TLCGet("IOUtils!IOEnvExecTemplate")
atoi(string) == TLCGet("IOUtils!atoi")
zeroPadN(n, width) == TLCGet("IOUtils!zeroPadN")
(* No variable of the environment is passed on to TLC. *)
IOEnv == [name \in {} |-> ""]
==============================
