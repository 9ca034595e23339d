package document

import (
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// Token returns the document of a token, without its secret. project is the one that it is for; nil for all.
func Token(t *trowel.Token, project *trowel.Project) api.Token {
	shape := api.Token{
		ID: api.ID(t.ID), Name: t.Name, Scopes: api.List[string]{t.Role}, CreatedAt: Instant(t.CreatedAt),
		LastUsedAt: OptInstant(t.LastUsedAt), ExpiresAt: OptInstant(t.ExpiresAt), RevokedAt: OptInstant(t.RevokedAt),
	}
	if project != nil {
		name := IDName(*project)
		shape.Project = &name
	}
	return shape
}

// TokenRecord returns the audit record of a new or revoked token. It has nothing of the secret.
func TokenRecord(action string, t *trowel.Token) trowel.AuditRecord {
	r := trowel.AuditRecord{
		Action: action, ObjectKind: "token", ObjectID: strconv.FormatInt(int64(t.ID), 10), Object: t.Name, ProjectID: t.ProjectID,
	}
	if t.RevokedAt.IsZero() {
		r.After = param.Of("role", t.Role)
		if !t.ExpiresAt.IsZero() {
			r.After.Set("expiresAt", Instant(t.ExpiresAt))
		}
	}
	return r
}

// ActionBrake is the action of a BrakeRecord.
const ActionBrake = "address.brake"

// BrakeRecord returns the audit record of an address that guesses passwords or tokens. failures are those since its last
// record.
func BrakeRecord(at time.Time, address string, failures int) trowel.AuditRecord {
	return trowel.AuditRecord{
		At: at, ActorKind: trowel.ActorServer, Actor: "server", Source: trowel.SourceServer, Action: ActionBrake,
		ObjectKind: "address", ObjectID: address, Object: address, After: param.Of("failures", failures),
	}
}
