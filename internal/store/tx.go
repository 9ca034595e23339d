package store

import trowel "github.com/trowel-project/trowel"

// tx is an open transaction. Its methods are in the files of their nouns.
type tx struct {
	*connection

	store  string                    // id of the store, see Notify
	locked map[trowel.AttemptID]bool // attempts that cannot be deleted before the end of the transaction
}

var _ trowel.Tx = (*tx)(nil)
