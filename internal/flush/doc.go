// Package flush makes changes durable. It gathers events from all sides, applies them to the images
// of their attempts, and writes everything that changed in one transaction; ready tasks are claimed
// for the local agent in the same one. While one transaction commits, the next batch gathers, so
// batches grow with the load and an idle system has no delay. Only after the commit do agents,
// observers and waiting callers hear of it.
//
// Read Flusher first, then flush.go (one transaction) and write.go (what it writes).
package flush
