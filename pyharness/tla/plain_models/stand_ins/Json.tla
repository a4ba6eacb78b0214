---- MODULE Json ----
LOCAL INSTANCE TLC
(* What CommunityModules do in Java: here are the names alone. TLC stops where one is evaluated, for it knows no such register. *)
ToJson(value) == TLCGet("Json!ToJson")
ToJsonArray(value) == TLCGet("Json!ToJsonArray")
ToJsonObject(value) == TLCGet("Json!ToJsonObject")
JsonSerialize(file, value) == TLCGet("Json!JsonSerialize")
JsonDeserialize(file) == TLCGet("Json!JsonDeserialize")
ndJsonSerialize(file, value) == TLCGet("Json!ndJsonSerialize")
ndJsonDeserialize(file) == TLCGet("Json!ndJsonDeserialize")
==============================
