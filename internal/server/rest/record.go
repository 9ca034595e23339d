package rest

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

// Record adds an action of the caller to the audit, in the transaction of the action. It sets the time, the actor and
// the source.
func (c *Call) Record(tx trowel.Tx, r trowel.AuditRecord) error {
	by := c.NewRecord()
	r.At, r.ActorKind, r.Actor, r.Source = by.At, by.ActorKind, by.Actor, by.Source
	return tx.InsertRecords(c.Ctx(), &r)
}

// NewRecord returns a record with the time, the actor and the source of this call.
func (c *Call) NewRecord() trowel.AuditRecord {
	kind := trowel.ActorUser
	if c.Caller.Kind == access.KindToken {
		kind = trowel.ActorToken
	}
	return trowel.AuditRecord{At: c.Now, ActorKind: kind, Actor: c.Caller.Name, Source: trowel.SourceREST}
}
