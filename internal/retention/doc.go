// Package retention deletes what is old: ended attempts with their logs, sessions without attempts, decisions of
// schedules, revisions that nothing refers to, and expired values of param_set>. The statements of the store decide what
// may be deleted, see trowel.RetentionTx; this package decides the order and the pace.
//
// Read Clean first.
package retention
