package server

import (
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// TokenOf returns the document of a token, without its secret. project is the only one that it is for; nil
// for all.
func TokenOf(t *trowel.Token, project *trowel.Project) api.Token {
	shape := api.Token{
		ID: api.ID(t.ID), Name: t.Name, Scopes: api.List[string]{t.Role}, CreatedAt: Milli(t.CreatedAt),
		LastUsedAt: milli(t.LastUsedAt), ExpiresAt: milli(t.ExpiresAt), RevokedAt: milli(t.RevokedAt),
	}
	if project != nil {
		name := idName(*project)
		shape.Project = &name
	}
	return shape
}

// TokenRecord is what the audit tells of a new or revoked token: nothing of what its bearer sends.
func TokenRecord(action string, t *trowel.Token) trowel.Record {
	r := trowel.Record{
		Action: action, ObjectKind: "token", ObjectID: strconv.FormatInt(int64(t.ID), 10), Object: t.Name, ProjectID: t.ProjectID,
	}
	if t.RevokedAt.IsZero() {
		r.After = param.Of("role", t.Role)
		if !t.ExpiresAt.IsZero() {
			r.After.Set("expiresAt", Milli(t.ExpiresAt))
		}
	}
	return r
}

// actionBrake is the action of a BrakeRecord.
const actionBrake = "address.brake"

// BrakeRecord is what the audit tells of an address that guesses passwords or tokens, and has failed so often since
// it was told last.
func BrakeRecord(at time.Time, address string, failures int) trowel.Record {
	return trowel.Record{
		At: at, ActorKind: trowel.ActorServer, Actor: "server", Source: trowel.SourceServer, Action: actionBrake,
		ObjectKind: "address", ObjectID: address, Object: address, After: param.Of("failures", failures),
	}
}
