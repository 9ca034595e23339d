package server

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

// record writes into the audit what the caller does, in the transaction that does it. The instant, who it
// is and where it came from need not be given.
func (c *call) record(tx trowel.Tx, r trowel.Record) error {
	by := c.by()
	r.At, r.ActorKind, r.Actor, r.Source = by.At, by.ActorKind, by.Actor, by.Source
	return tx.InsertRecords(c.ctx(), &r)
}

// by is a record with what all records of the caller have.
func (c *call) by() trowel.Record {
	kind := trowel.ActorUser
	if c.caller.Kind == access.KindToken {
		kind = trowel.ActorToken
	}
	return trowel.Record{At: c.now, ActorKind: kind, Actor: c.caller.Name, Source: trowel.SourceREST}
}
