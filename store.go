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
	// Listen calls heard with each topic that another process on the same database notified, and with
	// an empty one whenever some may have been missed: at the beginning and after a lost connection. It
	// returns only when ctx has ended. heard must not wait.
	Listen(ctx context.Context, heard func(topic string)) error
	Close() error
}

// Tx is an open transaction. It is not for concurrent use and ends with the function it was given
// to.
type Tx interface {
	ProjectTx
	FindingTx
	ScheduleTx
	SessionTx
	SearchTx
	AttemptTx
	MonitorTx
	TaskTx
	AuditTx
	LogTx
	BlobTx
	SecretTx
	TokenTx
	AgentTx
	PoolTx
	LimitTx
	LiveTx
	AdmissionTx
	RecordTx
	WhyTx
	OverviewTx
	LoadTx
	ParamTx
	RetentionTx
	WriterTx

	// Settle returns once everything that the transaction has written so far is known to be accepted, or
	// the error of what is not. Without it such an error may come with what is done next, or with the commit.
	Settle(ctx context.Context) error

	// Notify tells Listen of other processes, once the transaction is committed, that something about
	// a topic has changed. It may get lost: who listens also looks now and then.
	Notify(ctx context.Context, topic string) error
}
