package trowel

import (
	"context"
	"time"
)

// Secret is a value that only operators see that may. It is stored encrypted.
type Secret struct {
	ProjectID ProjectID
	Scope     string // SecretProject or SecretDefault
	Key       string
	Engine    string // "aesgcm"
	Value     string // encrypted, see package secret
	Actor     string // who set it
	UpdatedAt time.Time
}

// Where a secret comes from: set by a user, or supplied by the authenticator with a push.
const (
	SecretProject = "project"
	SecretDefault = "project-default"
)

// SecretTx is the part of a transaction about secrets.
type SecretTx interface {
	// PutSecret inserts a secret or replaces its value.
	PutSecret(ctx context.Context, s *Secret) error
	// FindSecret returns one secret of a project.
	FindSecret(ctx context.Context, project ProjectID, scope, key string) (*Secret, error)
	// DeleteSecret deletes a secret; one that is not there is no error.
	DeleteSecret(ctx context.Context, project ProjectID, scope, key string) error
	// ListSecrets returns the secrets of a scope in the order of their keys.
	ListSecrets(ctx context.Context, project ProjectID, scope string) ([]*Secret, error)
}
