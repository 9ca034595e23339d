// Package flush makes changes durable. It collects requests from all sides, applies them to the task trees
// of their attempts, and writes everything that changed in one transaction; ready tasks are claimed for
// agents in the same one. While one transaction commits, the next batch collects, so batches grow with the
// load and an idle system has no delay. Only after the commit do agents, observers and waiting callers hear
// of it.
//
// A Flusher is made of parts. The inbox has what is to be written: each kind of request is a type of its
// own (request.go) and says what it does in a transaction. The committer runs the transactions
// (committer.go, transact.go); a txn has what one of them changes (changes.go, counters.go) and what is to
// be done after it (effects.go), and the publisher does that. The claimer gives tasks to agents. The cache
// has the task trees, which the loader reads. The reloader and the recoverer find what others have done.
//
// Read Flusher.turn first, then committer.fill.
package flush
