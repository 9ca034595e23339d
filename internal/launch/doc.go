// Package launch begins attempts: it compiles a stored workflow, works out session parameters, SLA and resumed tasks,
// and hands all that to the flusher (language 7.2). The REST API, schedules, backfills and require> all start attempts
// of stored workflows through it, so they differ only in what they ask for.
//
// It decides nothing about states, which is the job of package engine, and writes nothing itself.
//
// Read Launcher and Request first, then Plan.
package launch
