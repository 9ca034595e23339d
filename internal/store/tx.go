package store

import trowel "github.com/trowel-project/trowel"

// tx is an open transaction. Its methods are in the file of their noun.
type tx struct {
	*session

	store string                    // id of the store, see Notify
	known map[trowel.AttemptID]bool // attempts that stay until the end of the transaction
}

var _ trowel.Tx = (*tx)(nil)
