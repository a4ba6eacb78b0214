---- MODULE CSV ----
LOCAL INSTANCE TLC
(* What CommunityModules do in Java: here are the names alone. TLC stops where one is evaluated, for it knows no such register. *)
CSVWrite(template, values, file) == TLCGet("CSV!CSVWrite")
CSVWriteRecord(record, delimiter, headers, file) == TLCGet("CSV!CSVWriteRecord")
CSVRead(columns, delimiter, file) == TLCGet("CSV!CSVRead")
CSVRecords(file) == TLCGet("CSV!CSVRecords")
==============================
