// Package retention deletes what is old: ended attempts with their logs, sessions that have no attempt
// any more, decisions of schedules, revisions that nothing refers to, and values of param_set> past their
// time. What may go is decided by the statements of the store, see trowel.RetentionTx; here is the order
// and the pace.
//
// Read Clean first.
package retention
