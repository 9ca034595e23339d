package store

import trowel "github.com/trowel-project/trowel"

// tx is an open transaction. Its methods are in the file of their noun.
type tx struct {
	*session

	store string // id of the store, see Notify
}

var _ trowel.Tx = (*tx)(nil)
