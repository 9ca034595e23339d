// Package launch begins attempts: it compiles a stored workflow, works out session parameters, SLA
// and what is resumed, and hands all that to the flusher (language 7.2). Everybody who starts
// attempts of stored workflows goes through it: the REST API, schedules, backfills and require>, so
// that they differ in nothing but what they ask for.
//
// It decides nothing about states, which is package engine's, and writes nothing itself.
//
// Read Launcher and Request first, then Plan, which is a workflow made ready.
package launch
