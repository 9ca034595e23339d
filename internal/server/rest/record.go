package rest

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

// Record writes into the audit what the caller does, in the transaction that does it. The instant, who it
// is and where it came from need not be given.
func (c *Call) Record(tx trowel.Tx, r trowel.Record) error {
	by := c.NewRecord()
	r.At, r.ActorKind, r.Actor, r.Source = by.At, by.ActorKind, by.Actor, by.Source
	return tx.InsertRecords(c.Ctx(), &r)
}

// NewRecord is a record with what all records of the caller have.
func (c *Call) NewRecord() trowel.Record {
	kind := trowel.ActorUser
	if c.Caller.Kind == access.KindToken {
		kind = trowel.ActorToken
	}
	return trowel.Record{At: c.Now, ActorKind: kind, Actor: c.Caller.Name, Source: trowel.SourceREST}
}
