package main

// manyBars are those of several servers on one PostgreSQL, of agents, and of large tables.
func manyBars() []bar {
	const flushes = "trowel_flush_changes and trowel_flush_duration_seconds of /metrics tell how large and how long transactions are"
	return []bar{
		{name: "many: three servers", measure: threeServers, look: "trowel_transaction_retries_total of /metrics tells how often servers get in each other's way"},
		{name: "many: hand-off", measure: handOff, look: flushes},
		{name: "many: hand-off at 100 and at 1,000 tasks a second", measure: evenHandOff, look: flushes},
		{name: "many: remote hand-off", measure: remoteHandOff, look: flushes},
		{name: "many: blocked tasks", measure: millionBlocked, look: "EXPLAIN (ANALYZE, BUFFERS) of the slowest statements in pg_stat_statements tells what grows with the table"},
		{name: "many: schedules", measure: manySchedules, look: "trowel_transactions_total and trowel_transaction_retries_total of /metrics tell who waits for whom"},
		{name: "many: archived attempts", measure: millionArchived, look: "set log_min_duration_statement and auto_explain: the note names the slowest request"},
		{name: "many: agent killed", measure: killedAgent, look: "the log of the server tells when it finds the end of the lease"},
		{name: "many: waiting", measure: waiting, look: "trowel_try_ready_to_claim_seconds of /metrics tells whether tasks wait for slots or for the flusher"},
		{name: "many: idle agents", measure: idleFleet, look: "trowel_transactions_total of /metrics tells which part asks the database"},
	}
}
