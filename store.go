package trowel

import "context"

// Store keeps everything. Its methods may be called concurrently.
//
// An error is ErrUnavailable if the database cannot be used now, because of a lost connection or a full disk for
// example. The same call may succeed later.
type Store interface {
	// Update runs f in one transaction and commits it unless f returns an error. f may be run again
	// after a conflict with another writer, so it must have no effect outside the transaction.
	Update(ctx context.Context, f func(tx Tx) error) error
	// View runs f in a transaction that only reads.
	View(ctx context.Context, f func(tx Tx) error) error
	// Listen calls heard with each topic that another process on the same database notifies. It calls it with
	// an empty topic whenever it may have missed some: at the beginning and after a lost connection. Listen
	// returns only when ctx has ended. heard must not block.
	Listen(ctx context.Context, heard func(topic string)) error
	// Close ends all connections.
	Close() error
}

// Tx is an open transaction. It ends with the function that it was given to, and is not safe for concurrent
// use.
type Tx interface {
	ProjectTx
	RevisionTx
	WorkflowTx
	FindingTx
	ScheduleTx
	SessionTx
	SearchTx
	MatchTx
	AttemptTx
	SLATx
	BackfillTx
	TaskTx
	AuditTx
	LogTx
	BlobTx
	SecretTx
	TokenTx
	LoginTx
	AgentTx
	PoolTx
	LimitTx
	LiveTx
	AdmissionTx
	RecordTx
	WhyTx
	TaskLineTx
	FailureTx
	EstimateTx
	OverviewTx
	UsageTx
	ParamTx
	RetentionTx
	WriterTx

	// Sync waits until the database has accepted everything that the transaction has written so far, or returns
	// the error of what it has not. Without Sync such an error may come from the next call, or from the commit.
	Sync(ctx context.Context) error

	// Notify sends a topic to Listen in other processes, once the transaction is committed. It may get lost, so
	// listeners also look for themselves now and then.
	Notify(ctx context.Context, topic string) error
}
