package store

import trowel "github.com/trowel-project/trowel"

// tx is an open transaction. Its methods are in the file of their noun.
type tx struct{ *session }

var _ trowel.Tx = (*tx)(nil)
