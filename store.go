package trowel

import "context"

// Store keeps what Trowel knows. It has no opinions: rules are in the engine and the queue.
type Store interface {
	// Update runs f in one transaction and commits it unless f returns an error. f may be run again
	// after a conflict with another writer, so it must have no effect outside the transaction.
	Update(ctx context.Context, f func(tx Tx) error) error
	// View runs f in a transaction that only reads.
	View(ctx context.Context, f func(tx Tx) error) error
	Close() error
}

// Tx is what can be done in a transaction.
type Tx interface {
	ProjectTx
	AttemptTx
	TaskTx
	AuditTx
}
