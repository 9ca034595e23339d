package store

// Dialect is all that differs between the databases.
type Dialect struct {
	// BeginWrite and BeginRead begin a transaction.
	BeginWrite, BeginRead string
	// LockRows ends a SELECT whose rows are locked until the end of the transaction.
	LockRows string
	// Unnumbered tells that bulk statements have ? for each value in turn. modernc.org/sqlite looks
	// $1 up by name among all values.
	Unnumbered bool
	// BulkRows is the largest number of rows in one bulk statement, a power of two, see bulk.
	BulkRows int
	// OneConnection tells that the database has a single connection, as one in memory does.
	OneConnection bool
	// Classify turns an error of the driver into one of trowel's kinds, or returns it as it is.
	Classify func(error) error
}
