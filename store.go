package trowel

import "context"

// Store keeps everything. Its methods may be called concurrently.
//
// Errors about a database that cannot be used now, such as a lost connection or a full disk, are
// ErrUnavailable: the same call may succeed later.
type Store interface {
	// Update runs f in one transaction and commits it unless f returns an error. f may be run again
	// after a conflict with another writer, so it must have no effect outside the transaction.
	Update(ctx context.Context, f func(tx Tx) error) error
	// View runs f in a transaction that only reads.
	View(ctx context.Context, f func(tx Tx) error) error
	Close() error
}

// Tx is an open transaction. It is not for concurrent use and ends with the function it was given
// to.
type Tx interface {
	ProjectTx
	ScheduleTx
	SessionTx
	AttemptTx
	MonitorTx
	TaskTx
	AuditTx
	LogTx
	BlobTx
	SecretTx
	TokenTx
	AgentTx
	ParamTx
}
